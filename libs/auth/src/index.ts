export { AccessDeniedError } from './access-denied-error.js';
export { newApiKey } from './api-key.js';
export { AuthModule } from './auth.module.js';
export { Authenticator, type IncomingRequest } from './authenticator.js';
export { ApiKeyStore, type KeyEntry } from './api-key-store.js';
export { Caller, needOf, Needs, Public } from './key.guard.js';
export { requireStrongKey } from './key-requirement.js';
export {
  actorOf,
  addsOnly,
  admin,
  allows,
  covers,
  EVERYTHING,
  may,
  requireAccess,
  requireAdmin,
  requireRefAccess,
  ROLES,
  type Action,
  type Grant,
  type Principal,
  type Role,
} from './project-access.js';
export {
  endedCookie,
  isFromPage,
  loginCookie,
  loginIn,
  sessionCookie,
  sessionEnd,
  type BegunLogin,
} from './session.js';
export { SessionStore } from './session-store.js';
