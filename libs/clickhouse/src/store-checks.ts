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
