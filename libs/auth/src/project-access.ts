import { AccessDenied } from './access-denied.js';
import { may, type Action, type Principal } from './principal.js';

/** Throws unless the principal may do this in every one of the projects. */
export function requireAccess(
  principal: Principal,
  action: Action,
  projectIds: Iterable<string>,
): void {
  for (const projectId of projectIds) {
    if (!may(principal, action, projectId)) {
      throw new AccessDenied('forbidden', `This API key may not ${action} in ${projectId}.`);
    }
  }
}
