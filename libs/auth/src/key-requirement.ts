import { StartupError, type AuthConfig } from '@app/config';
import type { Redis } from '@app/redis';
import { ApiKeyStore } from './api-key-store.js';

const KEY_MIN_LENGTH = 16;
/** Values that are copied from examples. */
const PLACEHOLDERS =
  /change[-_ ]?me|example|placeholder|password|your[-_ ]?(api[-_ ]?)?key|^(.)\2*$/i;
const WAIT_MS = 5000;

/**
 * Rejects with a StartupError when `HEDDLE_API_KEY` is short or a placeholder, or when it is not set and no key exists. When
 * Redis is unavailable the check is skipped: then every key but `HEDDLE_API_KEY` is refused anyway.
 */
export async function requireKeys(config: AuthConfig, redis: Redis): Promise<void> {
  requireStrongKey(config);
  if (config.apiKey !== '') return;
  if (!(await isReady(redis)) || !(await new ApiKeyStore(redis).isEmpty())) return;
  throw new StartupError(
    'There is no API key, so every request would be refused: create one with the command `keys create --role admin`, or set HEDDLE_API_KEY.',
  );
}

/** Throws a StartupError when `HEDDLE_API_KEY` is set, and is short or a placeholder. */
export function requireStrongKey({ apiKey }: Pick<AuthConfig, 'apiKey'>): void {
  const weakness = apiKey === '' ? undefined : weaknessOf(apiKey);
  if (weakness === undefined) return;
  throw new StartupError(
    `HEDDLE_API_KEY ${weakness}; set it to a long random string, for example the output of openssl rand -hex 32.`,
  );
}

export function weaknessOf(key: string): string | undefined {
  if (key.length < KEY_MIN_LENGTH) return `is shorter than ${KEY_MIN_LENGTH} characters`;
  return PLACEHOLDERS.test(key) ? 'looks like a placeholder' : undefined;
}

function isReady(redis: Redis): Promise<boolean> {
  if (redis.status === 'ready') return Promise.resolve(true);
  return new Promise((resolve) => {
    const timer = setTimeout(() => settle(false), WAIT_MS);
    const settle = (ready: boolean) => {
      clearTimeout(timer);
      redis.off('ready', onReady);
      resolve(ready);
    };
    const onReady = () => settle(true);
    redis.once('ready', onReady);
  });
}
