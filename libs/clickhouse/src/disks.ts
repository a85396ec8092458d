import { raw, sql } from './sql.js';
import type { Store } from './store.js';
import { systemTable } from './topology.js';

export interface NodeDisk {
  readonly node: string;
  readonly freeBytes: number;
  readonly totalBytes: number;
}

interface DiskRow {
  readonly node: string;
  readonly free: number | string;
  readonly total: number | string;
}

/** The disk of each node that has the most space. The tables have the default policy, and ClickHouse chooses a disk with space. */
export async function freestDisks(store: Store): Promise<NodeDisk[]> {
  const disks = systemTable('disks', store.topology);
  const rows = await store.rows<DiskRow>(
    sql`SELECT hostName() AS node, max(free_space) AS free, argMax(total_space, free_space) AS total
FROM ${raw(disks)}
WHERE name GLOBAL IN (SELECT arrayJoin(disks) FROM system.storage_policies WHERE policy_name = 'default')
GROUP BY node ORDER BY node`,
  );
  return rows.map(({ node, free, total }) => ({
    node,
    freeBytes: Number(free),
    totalBytes: Number(total),
  }));
}
