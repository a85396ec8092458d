import type { ClickHouseClient } from '@clickhouse/client';
import { storeError, StoreUnavailableError } from './store-errors.js';
import { systemTable, type Topology } from './topology.js';

/**
 * On a full disk ClickHouse (26.7) reports success and leaves the file of a definition or a mutation empty; with such a file
 * it cannot start again.
 */
const NEEDED_BYTES = 16 * 1024 ** 2;

/** A store, or what a store is made of. */
interface Server {
  readonly client: ClickHouseClient;
  readonly topology: Topology;
}

interface FullDisk {
  readonly node: string;
  readonly free: number | string;
}

/** Rejects with StoreUnavailableError when a node has too little space to change a table. */
export async function requireSpace({ client, topology }: Server): Promise<void> {
  const disks = systemTable('disks', topology);
  const found = client.query({
    query: `SELECT hostName() AS node, free_space AS free FROM ${disks} WHERE name = 'default' AND free_space < ${NEEDED_BYTES}`,
    format: 'JSONEachRow',
    // The statement itself names a node that is unavailable.
    clickhouse_settings: { skip_unavailable_shards: 1 },
  });
  const full = await found
    .then((result) => result.json<FullDisk>())
    .catch((error: unknown) => {
      throw storeError(error);
    });
  const problem = fullDisks(full);
  if (problem !== undefined) throw new StoreUnavailableError(problem);
}

/** A sentence with every node that has no space; undefined when there is none. */
export function fullDisks(disks: readonly FullDisk[]): string | undefined {
  if (disks.length === 0) return undefined;
  const each = disks.map(
    ({ node, free }) => `${node} has ${Math.floor(Number(free) / 1024 ** 2)} MB`,
  );
  return (
    `The disk of ClickHouse is full (${each.join(', ')} free), and changing a table needs ${NEEDED_BYTES / 1024 ** 2} MB. ` +
    'Free space as docs/operations/disk-full.md describes, then repeat the command.'
  );
}
