export { AccessDenied, type Denial } from './access-denied.js';
export { hashOf, keyIn, newApiKey } from './api-key.js';
export { AuthModule } from './auth.module.js';
export { Caller, Public } from './key.guard.js';
export { admin, KeyRing } from './key-ring.js';
export { may, type Action, type Principal } from './principal.js';
export { requireAccess } from './project-access.js';
