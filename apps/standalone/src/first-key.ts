import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EVERYTHING, ApiKeyStore, newApiKey } from '@app/auth';
import type { AuthConfig } from '@app/config';
import type { Redis } from '@app/redis';

/** The file with the key of the first start. */
export const keyFile = (directory: string): string => join(directory, 'api-key');

/**
 * Creates an admin key if there are no keys yet, and returns it. The file is written first: without the file a crash
 * would leave a key that no user knows.
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
