import type { AuthConfig } from '@app/config';

/** Injects the process's `AuthOptions`. */
export const AUTH_OPTIONS = Symbol('auth options');

export interface AuthOptions extends AuthConfig {
  /** Standalone creates the first key itself, so it may start without one. */
  readonly makesFirstKey?: boolean;
}
