import type { Check } from '@app/observability';
import { isMigrated } from './migrate.js';
import type { Store } from './store.js';
import { storeError } from './store-errors.js';

/** Why not all shards of a cluster can be reached; undefined when they can. */
async function lostShard({ client, topology }: Store): Promise<string | undefined> {
  if (topology.kind === 'single') return undefined;
  const query = `SELECT count() FROM cluster('${topology.name}', system.one)`;
  try {
    await (await client.query({ query })).text();
    return undefined;
  } catch (error) {
    return firstLine(storeError(error).message);
  }
}

const firstLine = (text: string): string => text.split('\n', 1)[0]!;

/** Checks that ClickHouse is available and has all migrations. */
export function storeChecks(store: Store): Check[] {
  return [
    {
      name: 'store',
      problem: async () => {
        if (!(await store.isUp())) return 'ClickHouse unavailable';
        const lost = await lostShard(store);
        if (lost !== undefined) return `a shard is unavailable: ${lost}`;
        return (await isMigrated(store.client))
          ? undefined
          : 'migrations are pending: run `migrate`';
      },
    },
  ];
}

/** Errors that ClickHouse reports when it cannot read a part. Merges of the part repeat them every few seconds. */
const UNREADABLE_PARTS = `SELECT last_error_message AS message FROM system.errors
WHERE name IN ('CORRUPTED_DATA', 'CHECKSUM_DOESNT_MATCH', 'NO_FILE_IN_DATA_PART')
  AND last_error_time > now() - 60
LIMIT 1`;

/** Checks that ClickHouse could read its parts during the last minute. */
export const partsCheck = ({ client }: Store): Check => ({
  name: 'parts',
  problem: async () => {
    const result = await client.query({ query: UNREADABLE_PARTS, format: 'JSONEachRow' });
    const [row] = await result.json<{ message: string }>();
    return (
      row &&
      `ClickHouse cannot read a part; see docs/operations/disk-full.md: ${firstLine(row.message)}`
    );
  },
});
