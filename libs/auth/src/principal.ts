export type Action = 'read' | 'write';

/** Who is asking, and what their key lets them do. */
export interface Principal {
  readonly user: string;
  /** `*` for every project; later also an entity or one project. */
  readonly scope: string;
  readonly role: 'admin';
}

/** The one question about access; every project id of a request goes through it. */
export function may(principal: Principal, _action: Action, _projectId: string): boolean {
  return principal.scope === '*';
}
