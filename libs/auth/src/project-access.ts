import { refIn } from '@app/contracts';
import type { Millis } from '@app/wire';
import { AccessDeniedError } from './access-denied-error.js';

/** What a key may be used for. `ingest` only adds; `write` reads, adds, changes and deletes. See docs/reference/access.md. */
export const ROLES = ['ingest', 'read', 'write', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/**
 * `enter`: learn that a project exists. `write`: add data to it. `change`: rename, tag, replace, set prices. `delete`: remove
 * data.
 */
export type Action = 'enter' | 'read' | 'write' | 'change' | 'delete' | 'admin';

const ALLOWED: Readonly<Record<Role, readonly Action[]>> = {
  ingest: ['enter', 'write'],
  read: ['enter', 'read'],
  write: ['enter', 'read', 'write', 'change', 'delete'],
  admin: ['enter', 'read', 'write', 'change', 'delete', 'admin'],
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
  /** When the key ends; absent for a key without an end. */
  readonly endsAt?: Millis;
  /** The addresses from which the key is accepted; absent for all. */
  readonly addresses?: readonly string[];
  /** The client's address and the id of the request, for the audit log. */
  readonly address?: string;
  readonly requestId?: string;
}

/** Who acts, as an entry of the audit log has it. */
export const actorOf = ({ user, keyId, address, requestId }: Principal) => ({
  userId: user,
  keyId,
  ...(address !== undefined && { address }),
  ...(requestId !== undefined && { requestId }),
});

/** Whether a role permits an action in the projects of its scope. */
export const allows = (role: Role, action: Action): boolean => ALLOWED[role].includes(action);

/** Whether a grant permits an action. Every project id of a request is checked with it. */
export function may({ role, scope }: Grant, action: Action, projectId: string): boolean {
  if (!allows(role, action)) return false;
  // An item of a batch without a project id can be added as a dead letter, but never read.
  return projectId === '' ? action === 'write' : covers(scope, projectId);
}

/** Whether the key may add to a project, but not change what other users have added. */
export const addsOnly = ({ role }: Grant): boolean => !allows(role, 'change');

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

const VERBS: Readonly<Record<Action, string>> = {
  enter: 'enter',
  read: 'read',
  write: 'write',
  change: 'change or replace data',
  delete: 'delete',
  admin: 'administer',
};

/** Throws unless the role of the principal permits the action anywhere. */
export function requireRole({ role }: Principal, action: Action): void {
  if (allows(role, action)) return;
  throw new AccessDeniedError(
    'forbidden',
    `This API key (role ${role}) may not ${VERBS[action]}; roles that may: ${rolesThatMay(action).join(', ')}.`,
  );
}

const rolesThatMay = (action: Action): Role[] => ROLES.filter((role) => allows(role, action));

/** Throws unless the principal may do this in every one of the projects. */
export function requireAccess(
  principal: Principal,
  action: Action,
  projectIds: Iterable<string>,
): void {
  for (const projectId of projectIds) {
    if (!may(principal, action, projectId)) {
      throw new AccessDeniedError(
        'forbidden',
        `This API key (role ${principal.role}) may not ${VERBS[action]} in ${projectId.slice(0, 260)}.`,
      );
    }
  }
}

/** The same for the projects that refs point to. Text that is not a ref is ignored. */
export function requireRefAccess(
  principal: Principal,
  action: Action,
  refs: Iterable<string | null | undefined>,
): void {
  const projects = new Set<string>();
  for (const text of refs) {
    const project = text ? projectOfRef(text) : undefined;
    if (project !== undefined) projects.add(project);
  }
  requireAccess(principal, action, projects);
}

/** Also accepts a ref with a wildcard or with an invalid end, because only its project matters. */
function projectOfRef(text: string): string | undefined {
  const [, entity, project] = /^[a-z-]+:\/\/\/([^/]*)\/([^/]*)/.exec(text) ?? [];
  return entity && project ? `${entity}/${project}` : refIn(text)?.projectId;
}

/** Throws unless the principal administers everything in this scope. */
export function requireAdmin(principal: Principal, scope: string): void {
  if (principal.role === 'admin' && covers(principal.scope, scope)) return;
  const where = scope === '*' ? 'every project' : scope.slice(0, 260);
  throw new AccessDeniedError(
    'forbidden',
    `This API key (role ${principal.role}) does not administer ${where}.`,
  );
}
