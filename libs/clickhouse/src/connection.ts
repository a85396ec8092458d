import {
  ClickHouseLogLevel,
  createClient,
  type ClickHouseClient,
  type ClickHouseClientConfigOptions,
  type ClickHouseSettings,
} from '@clickhouse/client';
import type { ClickHouseConfig } from '@app/config';

export type { ClickHouseClient } from '@clickhouse/client';

/** By default the server that is asked keeps rows of other shards and sends them on later: then "stored" is not true yet. */
const STORED_BY_THE_SHARD: ClickHouseSettings = { distributed_foreground_insert: 1 };

const DEFAULT_CLICKHOUSE_URL = 'http://127.0.0.1:8123';

/** The one way to a ClickHouse, embedded or not. */
export function connectClickHouse(config: ClickHouseConfig, application: string): ClickHouseClient {
  return createClient(connectionTo(config, application));
}

export function connectionTo(config: ClickHouseConfig, application: string) {
  return {
    url: config.url || DEFAULT_CLICKHOUSE_URL,
    username: config.user,
    password: config.password,
    database: config.database,
    application: `heddle-${application}`,
    request_timeout: 300_000,
    max_open_connections: 16,
    // A filter may hold a thousand ids: too much for an address, so long values travel in the body.
    use_multipart_params_auto: true,
    log: { level: ClickHouseLogLevel.OFF },
    clickhouse_settings: config.cluster === '' ? {} : STORED_BY_THE_SHARD,
  } satisfies ClickHouseClientConfigOptions;
}
