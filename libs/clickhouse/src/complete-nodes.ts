import type { ClickHouseClient } from '@clickhouse/client';
import { executeDdl } from './ddl.js';
import { EVERYWHERE_TABLES } from './sharding.js';
import { storedTable, systemTable, type Topology } from './topology.js';

type Cluster = Extract<Topology, { kind: 'cluster' }>;

interface ExistingTable {
  readonly name: string;
  readonly uuid: string;
  /** As ClickHouse shows it, with the changes of all migrations. */
  readonly statement: string;
}

/**
 * Gives a node that was added to the cluster the tables that the other nodes have, and the rows of those tables that every
 * node has whole. Does nothing when all nodes are alike.
 */
export async function completeNodes(client: ClickHouseClient, cluster: Cluster): Promise<void> {
  for (const table of await missingTables(client, cluster)) {
    await executeDdl(client, cluster, { query: creationOn(cluster, table) });
  }
  // Replicas copy their rows themselves.
  if (cluster.replicated) return;
  for (const table of await tablesWithDifferentRows(client, cluster)) {
    await client.command({
      query: `INSERT INTO ${table} SELECT * FROM ${onAllNodes(cluster, storedTable(table, cluster))}`,
    });
  }
}

/** `IF NOT EXISTS`, because the statement runs on all nodes. Replicas of a table find each other by its id. */
export function creationOn({ name, replicated }: Cluster, table: ExistingTable): string {
  const id = replicated && table.name.endsWith('_local') ? ` UUID '${table.uuid}'` : '';
  return table.statement.replace(
    /^CREATE TABLE (\S+)/,
    (_, target: string) => `CREATE TABLE IF NOT EXISTS ${target}${id} ON CLUSTER '${name}'`,
  );
}

/** Tables that some nodes have and others have not, those with rows first. Shadows of a rebuild are not among them. */
function missingTables(client: ClickHouseClient, cluster: Cluster): Promise<ExistingTable[]> {
  return rowsOf<ExistingTable>(
    client,
    `SELECT name, toString(any(uuid)) AS uuid, any(create_table_query) AS statement
     FROM ${systemTable('tables', cluster)}
     WHERE database = currentDatabase() AND NOT is_temporary AND NOT match(name, '_rebuild_')
     GROUP BY name
     HAVING count() < (SELECT count() FROM ${systemTable('one', cluster)})
     ORDER BY endsWith(name, '_local') DESC, name`,
  );
}

async function tablesWithDifferentRows(
  client: ClickHouseClient,
  cluster: Cluster,
): Promise<string[]> {
  const existing = await rowsOf<{ name: string }>(
    client,
    'SELECT name FROM system.tables WHERE database = currentDatabase()',
  );
  const names = new Set(existing.map(({ name }) => name));
  const different: string[] = [];
  for (const table of EVERYWHERE_TABLES) {
    if (!names.has(table)) continue;
    const [row] = await rowsOf<{ is_different: number }>(
      client,
      `SELECT uniqExact(rows) > 1 OR count() NOT IN (0, (SELECT count() FROM ${systemTable('one', cluster)})) AS is_different
       FROM (SELECT count() AS rows FROM ${onAllNodes(cluster, storedTable(table, cluster))} FINAL GROUP BY _shard_num)`,
    );
    if (row!.is_different) different.push(table);
  }
  return different;
}

const onAllNodes = ({ name }: Cluster, table: string) =>
  `clusterAllReplicas('${name}', currentDatabase(), ${table})`;

async function rowsOf<Row>(client: ClickHouseClient, query: string): Promise<Row[]> {
  return (await client.query({ query, format: 'JSONEachRow' })).json<Row>();
}
