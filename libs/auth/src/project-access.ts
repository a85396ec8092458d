import { refIn } from '@app/contracts';
import { AccessDeniedError } from './access-denied-error.js';
import { covers, may, type Action, type Principal } from './grant.js';

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
        `This API key (role ${principal.role}) may not ${action} in ${projectId.slice(0, 260)}.`,
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
