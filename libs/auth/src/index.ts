export { AccessDenied, type Denial } from './access-denied.js';
export { hashOf, keyIn, newApiKey } from './api-key.js';
export { AuthModule } from './auth.module.js';
export { Doorkeeper, type Asking } from './doorkeeper.js';
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
export { KeyBook, type KeyEntry, type NewKey } from './key-book.js';
export { Caller, Public } from './key.guard.js';
export { KeyRing } from './key-ring.js';
export { requireAccess, requireAdmin, requireRefAccess } from './project-access.js';
