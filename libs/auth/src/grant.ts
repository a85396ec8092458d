/** What a key may be used for. `ingest` adds and never looks; `write` reads, adds, changes and deletes. */
export const ROLES = ['ingest', 'read', 'write', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** `enter` is to know that a project is there, `write` to add to it, `delete` to take away or replace what is in it. */
export type Action = 'enter' | 'read' | 'write' | 'delete' | 'admin';

const ALLOWED: Readonly<Record<Role, readonly Action[]>> = {
  ingest: ['enter', 'write'],
  read: ['enter', 'read'],
  write: ['enter', 'read', 'write', 'delete'],
  admin: ['enter', 'read', 'write', 'delete', 'admin'],
};

export const EVERYTHING = '*';

/** Whose a key is and what it lets them do, where. */
export interface Grant {
  readonly user: string;
  /** `*` is everything, `acme` every project of an entity, `acme/demo` one project. */
  readonly scope: string;
  readonly role: Role;
}

/** Who is asking. */
export interface Principal extends Grant {
  /** Tells keys apart without being one. */
  readonly keyId: string;
}

/** The one question about access; every project id of a request goes through it. */
export function may({ role, scope }: Grant, action: Action, projectId: string): boolean {
  if (!ALLOWED[role].includes(action)) return false;
  // What names no project (an item of a batch that is not even a record) belongs to nobody: it can be added, not read.
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
