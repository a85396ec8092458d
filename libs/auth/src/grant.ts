/** What a key may be used for. `ingest` only adds; `write` reads, adds, changes and deletes. */
export const ROLES = ['ingest', 'read', 'write', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** `enter`: learn that a project exists. `write`: add data to it. `delete`: remove or replace data. */
export type Action = 'enter' | 'read' | 'write' | 'delete' | 'admin';

const ALLOWED: Readonly<Record<Role, readonly Action[]>> = {
  ingest: ['enter', 'write'],
  read: ['enter', 'read'],
  write: ['enter', 'read', 'write', 'delete'],
  admin: ['enter', 'read', 'write', 'delete', 'admin'],
};

export const EVERYTHING = '*';

/** The user of a key, and what the key permits. */
export interface Grant {
  readonly user: string;
  /** `*` is everything, `acme` every project of an entity, `acme/demo` one project. */
  readonly scope: string;
  readonly role: Role;
}

/** The authenticated caller of a request. */
export interface Principal extends Grant {
  /** The id of the key, not the key itself. */
  readonly keyId: string;
}

/** Whether a grant permits an action. Every project id of a request is checked with it. */
export function may({ role, scope }: Grant, action: Action, projectId: string): boolean {
  if (!ALLOWED[role].includes(action)) return false;
  // An item of a batch without a project id can be added as a dead letter, but never read.
  return projectId === '' ? action === 'write' : covers(scope, projectId);
}

/** Whether everything in the inner scope is in the outer one. */
export function covers(outer: string, inner: string): boolean {
  return outer === EVERYTHING || outer === inner || inner.startsWith(`${outer}/`);
}

export const admin = (user: string, keyId = 'environment'): Principal => ({
  user,
  scope: EVERYTHING,
  role: 'admin',
  keyId,
});
