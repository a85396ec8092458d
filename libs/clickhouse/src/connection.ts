import { Agent } from 'node:https';
import { rootCertificates } from 'node:tls';
import {
  ClickHouseLogLevel,
  createClient,
  type ClickHouseClient,
  type ClickHouseClientConfigOptions,
  type ClickHouseSettings,
} from '@clickhouse/client';

import { readTlsFiles, type ClickHouseConfig } from '@app/config';
import { topologyOf, type Topology } from './topology.js';

export type { ClickHouseClient } from '@clickhouse/client';

const CLUSTER_SETTINGS: ClickHouseSettings = {
  // By default a server acknowledges rows of other shards before it has forwarded them.
  distributed_foreground_insert: 1,
  // A subquery or join over a distributed table runs once, and its result is sent to every shard.
  distributed_product_mode: 'global',
  // A query with the whole sharding key in its conditions reads one shard.
  optimize_skip_unused_shards: 1,
  // Otherwise INSERT … SELECT runs on every shard by itself and ignores the sharding key, or on one replica only.
  parallel_distributed_insert_select: '0',
  // A query never returns the rows of some shards only.
  skip_unavailable_shards: 0,
};

/** So that an acknowledged row is on the disks of a majority, and is read after it was written. */
const REPLICA_SETTINGS: ClickHouseSettings = {
  insert_quorum: 'auto',
  // Replicated tables drop an insert that equals an earlier one, also when its rows were removed in between.
  insert_deduplicate: 0,
  // All inserts and reads of a shard use its first available replica, so a read finds what was inserted.
  load_balancing: 'in_order',
  prefer_localhost_replica: 0,
  max_replica_delay_for_distributed_queries: '2',
};

const MIGRATION_TIMEOUT_MS = 24 * 60 * 60_000;
/** Node accepts 16 KiB of headers, enough for two hours at this interval. A statement for one partition takes minutes. */
const PROGRESS_HEADER_MS = '110000';
/** More than the statements of reads that may run, so that lookups and health checks find a connection. */
const MAX_CONNECTIONS = 128;
export const DEFAULT_CLICKHOUSE_URL = 'http://127.0.0.1:8123';

/** Connects to ClickHouse, embedded or not. The only place that creates a client. */
export function connectClickHouse(config: ClickHouseConfig, application: string): ClickHouseClient {
  return createClient(connectionOptions(config, application));
}

/** For statements that may take hours. ClickHouse sends progress in between, so that no balancer closes the connection. */
export function connectForMigrations(config: ClickHouseConfig): ClickHouseClient {
  const options = connectionOptions(config, 'migrate');
  return createClient({
    ...options,
    request_timeout: MIGRATION_TIMEOUT_MS,
    clickhouse_settings: {
      ...options.clickhouse_settings,
      send_progress_in_http_headers: 1,
      http_headers_progress_interval_ms: PROGRESS_HEADER_MS,
    },
  });
}

export function connectionOptions(config: ClickHouseConfig, application: string) {
  return {
    url: config.url || DEFAULT_CLICKHOUSE_URL,
    username: config.user,
    password: config.password,
    database: config.database,
    application: `heddle-${application}`,
    request_timeout: 300_000,
    max_open_connections: MAX_CONNECTIONS,
    ...tlsOptions(config),
    // A filter may contain a thousand ids, too long for a URL. Long parameters are sent in the body.
    use_multipart_params_auto: true,
    log: { level: ClickHouseLogLevel.OFF },
    clickhouse_settings: settingsFor(topologyOf(config)),
  } satisfies ClickHouseClientConfigOptions;
}

type TlsOption = 'tls' | 'http_agent';

/**
 * With a client certificate the client library requests ClickHouse to authenticate the user by it, which ClickHouse refuses beside
 * a password. So with a password, the certificate is used for the connection only.
 */
function tlsOptions(config: ClickHouseConfig): Pick<ClickHouseClientConfigOptions, TlsOption> {
  if (!config.url.startsWith('https:')) return {};
  const { ca, cert, key } = readTlsFiles('CLICKHOUSE', config);
  if (cert === undefined || key === undefined)
    return ca === undefined ? {} : { tls: { ca_cert: ca } };
  if (config.password === '')
    return { tls: { ca_cert: ca ?? Buffer.from(rootCertificates.join('\n')), cert, key } };
  const keepAlive = { keepAlive: true, maxSockets: MAX_CONNECTIONS };
  return { http_agent: new Agent({ ...(ca && { ca }), cert, key, ...keepAlive }) };
}

function settingsFor(topology: Topology): ClickHouseSettings {
  if (topology.kind === 'single') return {};
  return { ...CLUSTER_SETTINGS, ...(topology.replicated && REPLICA_SETTINGS) };
}
