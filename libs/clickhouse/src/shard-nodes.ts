import type { ClickHouseConfig } from '@app/config';
import { HeddleError, messageOf } from '@app/errors';
import { connectForMigrations, DEFAULT_CLICKHOUSE_URL } from './connection.js';
import { bind, sql } from './sql.js';
import { Store } from './store.js';
import { topologyOf } from './topology.js';

const CONNECT_TIMEOUT_MS = 8000;

class ShardNodesError extends HeddleError {
  readonly code = 'storage_unavailable';
}

interface MemberRow {
  readonly shard: number;
  readonly weight: number;
  readonly host: string;
}

/**
 * One node of each shard, past a balancer, in the order of the shards; a single server is one node. For statements that concern
 * the rows of one node, and may take hours.
 */
export class ShardNodes {
  private constructor(
    readonly nodes: readonly Store[],
    /** The weights of the shards, which decide with the sharding key where a row is; null for a single server. */
    readonly weights: readonly number[] | null,
  ) {}

  /**
   * Without `urls`, the hosts of the cluster are used, at the port of CLICKHOUSE_URL. Of several replicas of a shard, the first
   * that responds is used. Rejects with the shards of which no node responds.
   */
  static async connect(
    config: ClickHouseConfig,
    urls: readonly string[] = [],
  ): Promise<ShardNodes> {
    if (config.cluster === '') return new ShardNodes([nodeStore(config)], null);
    const members = await membersOf(config);
    const found = new Map<number, Store>();
    const problems: string[] = [];
    try {
      for (const url of urls.length > 0 ? urls : urlsOf(config, members))
        await addNode({ ...config, url }, found, problems);
      const shards = new Map(members.map(({ shard, weight }) => [shard, weight]));
      requireAll([...shards.keys()], found, problems);
      const ordered = [...shards].sort(([a], [b]) => a - b);
      return new ShardNodes(
        ordered.map(([shard]) => found.get(shard)!),
        ordered.map(([, weight]) => weight),
      );
    } catch (error) {
      await Promise.all([...found.values()].map((store) => store.close()));
      throw error;
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.nodes.map((store) => store.close()));
  }
}

const nodeStore = (config: ClickHouseConfig): Store =>
  new Store(connectForMigrations(config), topologyOf(config));

async function membersOf(config: ClickHouseConfig): Promise<MemberRow[]> {
  const store = nodeStore(config);
  try {
    return await store.rows<MemberRow>(
      sql`SELECT shard_num AS shard, shard_weight AS weight, host_name AS host FROM system.clusters
WHERE cluster = ${bind('String', config.cluster)} ORDER BY shard_num, replica_num`,
    );
  } finally {
    await store.close();
  }
}

function urlsOf({ url }: ClickHouseConfig, members: readonly MemberRow[]): string[] {
  const hosts = [...new Set(members.map(({ host }) => host))];
  return hosts.map((host) => {
    const address = new URL(url || DEFAULT_CLICKHOUSE_URL);
    address.hostname = host.includes(':') ? `[${host}]` : host;
    return address.href;
  });
}

/** Adds the node to those found, unless it does not respond or its shard has a node. */
async function addNode(
  config: ClickHouseConfig,
  found: Map<number, Store>,
  problems: string[],
): Promise<void> {
  const store = nodeStore(config);
  try {
    const shard = await shardOf(store, config);
    if (shard !== undefined && !found.has(shard)) {
      found.set(shard, store);
      return;
    }
    if (shard === undefined) problems.push(`${hostOf(config)} is not a node of ${config.cluster}`);
  } catch (error) {
    problems.push(`${hostOf(config)}: ${messageOf(error)}`);
  }
  await store.close();
}

async function shardOf({ client }: Store, { cluster }: ClickHouseConfig) {
  const result = await client.query({
    query:
      'SELECT shard_num AS shard FROM system.clusters WHERE cluster = {cluster:String} AND is_local',
    query_params: { cluster },
    format: 'JSONEachRow',
    abort_signal: AbortSignal.timeout(CONNECT_TIMEOUT_MS),
  });
  const [row] = await result.json<{ shard: number }>();
  return row?.shard;
}

const hostOf = ({ url }: ClickHouseConfig): string => new URL(url).host;

function requireAll(
  shards: readonly number[],
  found: ReadonlyMap<number, Store>,
  problems: readonly string[],
): void {
  const missing = shards.filter((shard) => !found.has(shard));
  if (missing.length === 0 && shards.length > 0) return;
  const what =
    shards.length === 0 ? 'The cluster has no shards' : `Shard ${missing.join(', ')} was not found`;
  const why = problems.length === 0 ? '' : ` (${problems.join('; ')})`;
  throw new ShardNodesError(
    `${what}${why}; give the HTTP address of one node of every shard with --nodes <url,url,…>.`,
  );
}
