import {
  ClickHouseLogLevel,
  createClient,
  type ClickHouseClient,
  type ClickHouseClientConfigOptions,
  type ClickHouseSettings,
} from '@clickhouse/client';
import type { ClickHouseConfig } from '@app/config';

export type { ClickHouseClient } from '@clickhouse/client';

/** By default a server acknowledges rows of other shards before it has forwarded them. This waits until they are stored. */
const WAIT_FOR_SHARDS: ClickHouseSettings = { distributed_foreground_insert: 1 };

const DEFAULT_CLICKHOUSE_URL = 'http://127.0.0.1:8123';

/** Connects to ClickHouse, embedded or not. The only place that creates a client. */
export function connectClickHouse(config: ClickHouseConfig, application: string): ClickHouseClient {
  return createClient(connectionOptions(config, application));
}

export function connectionOptions(config: ClickHouseConfig, application: string) {
  return {
    url: config.url || DEFAULT_CLICKHOUSE_URL,
    username: config.user,
    password: config.password,
    database: config.database,
    application: `heddle-${application}`,
    request_timeout: 300_000,
    max_open_connections: 16,
    // A filter may contain a thousand ids, too long for a URL. Long parameters are sent in the body.
    use_multipart_params_auto: true,
    log: { level: ClickHouseLogLevel.OFF },
    clickhouse_settings: config.cluster === '' ? {} : WAIT_FOR_SHARDS,
  } satisfies ClickHouseClientConfigOptions;
}
