export { AccessDeniedError, type Denial } from './access-denied-error.js';
export { hashOf, keyIn, newApiKey } from './api-key.js';
export { AuthModule } from './auth.module.js';
export { Authenticator, type IncomingRequest } from './authenticator.js';
export {
  admin,
  covers,
  EVERYTHING,
  may,
  ROLES,
  type Action,
  type Grant,
  type Principal,
  type Role,
} from './grant.js';
export { ApiKeyStore, type KeyEntry, type NewKey } from './api-key-store.js';
export { Caller, Public } from './key.guard.js';
export { KeyCache } from './key-cache.js';
export { requireAccess, requireAdmin, requireRefAccess } from './project-access.js';
