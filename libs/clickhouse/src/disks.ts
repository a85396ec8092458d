import { bind, raw, sql } from './sql.js';
import type { Store } from './store.js';
import { storedTable, systemTable } from './topology.js';

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

/** Of the disks to which ClickHouse writes new data, the one of each node that has the most space. It chooses a disk with space. */
export async function freestDisks(store: Store): Promise<NodeDisk[]> {
  const disks = systemTable('disks', store.topology);
  const calls = bind('String', storedTable('calls', store.topology));
  const rows = await store.rows<DiskRow>(
    sql`SELECT hostName() AS node, max(free_space) AS free, argMax(total_space, free_space) AS total
FROM ${raw(disks)}
WHERE name GLOBAL IN (
  SELECT arrayJoin(disks) FROM system.storage_policies WHERE volume_priority = 1 AND policy_name IN (
    SELECT storage_policy FROM system.tables WHERE database = currentDatabase() AND name = ${calls}
  )
)
GROUP BY node ORDER BY node`,
  );
  return rows.map(({ node, free, total }) => ({
    node,
    freeBytes: Number(free),
    totalBytes: Number(total),
  }));
}
