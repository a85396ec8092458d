import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EVERYTHING, ApiKeyStore, newApiKey } from '@app/auth';
import type { AuthConfig } from '@app/config';
import type { Redis } from '@app/redis';

/** Where the key of the first start is kept for its owner. */
export const keyFile = (directory: string): string => join(directory, 'api-key');

/**
 * Makes one admin key if there is none yet and returns it. It is written down before it counts: a key that nobody has
 * seen would lock everybody out.
 */
export async function makeFirstKey(
  redis: Redis,
  config: AuthConfig,
  directory: string,
): Promise<string | undefined> {
  const keys = new ApiKeyStore(redis);
  if (config.apiKey !== '' || !(await keys.isEmpty())) return undefined;
  const key = newApiKey();
  const file = keyFile(directory);
  await writeFile(file, `${key}\n`, { mode: 0o600 });
  await chmod(file, 0o600);
  const { user } = config;
  const grant = { user, scope: EVERYTHING, role: 'admin', name: 'first start' } as const;
  await keys.create({ ...grant, createdBy: user }, key);
  return key;
}
