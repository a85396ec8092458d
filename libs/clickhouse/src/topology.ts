import type { ClickHouseConfig } from '@app/config';

/** The deployment of the tables: one server or a named cluster. */
export type Topology =
  | { readonly kind: 'single' }
  | { readonly kind: 'cluster'; readonly name: string; readonly replicated: boolean };

export function topologyOf({
  cluster,
  replicated,
}: Pick<ClickHouseConfig, 'cluster' | 'replicated'>): Topology {
  return cluster === '' ? { kind: 'single' } : { kind: 'cluster', name: cluster, replicated };
}

/** The cluster of one shard in which every node is a replica, for small tables that every node has. */
export const everywhere = (cluster: string): string => `${cluster}_everywhere`;

/** The table that has the rows: on a cluster, the one behind the distributed table. */
export function storedTable(table: string, topology: Topology): string {
  return topology.kind === 'single' ? table : `${table}_local`;
}

/** A system table; on a cluster, with the rows of all nodes. */
export function systemTable(table: string, topology: Topology): string {
  return topology.kind === 'single'
    ? `system.${table}`
    : `clusterAllReplicas('${topology.name}', system.${table})`;
}

/** Makes a statement run on every node of a cluster; goes between the name of the table and the rest. */
export function onEveryNode(topology: Topology): string {
  return topology.kind === 'single' ? '' : ` ON CLUSTER '${topology.name}'`;
}
