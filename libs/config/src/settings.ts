import { choice, integer, secret, text, url } from './setting.js';

const MiB = 1024 * 1024;

/** Every variable Heddle reads. `docs/reference/configuration.md` is this table, kept equal by a spec. */
export const SETTINGS = {
  HOST: text('127.0.0.1', 'Address to listen on. Use `0.0.0.0` in a container.'),
  PORT: integer(
    0,
    { min: 0, max: 65_535 },
    'Port to listen on. 0 means the default of the process: 8080 standalone, 8081 ingest, 8082 query, 8083 worker (health only).',
  ),
  LOG_LEVEL: choice(
    'info',
    ['debug', 'info', 'warn', 'error'],
    'The quietest log line that is written. Logs go to standard error as JSON lines.',
  ),
  DATA_DIR: text('data', 'Directory of everything the standalone process keeps.'),
  HEDDLE_API_KEY: secret(
    'A key that is always accepted, for scripts and compose. Without it, standalone makes a key at its first start.',
  ),
  HEDDLE_USER: text('admin', 'Whose key `HEDDLE_API_KEY` (or the key of the first start) is.'),
  REDIS_URL: url(
    '',
    ['redis:', 'rediss:'],
    'The Redis that holds the queue. Empty: standalone starts its own; other processes use `redis://127.0.0.1:6379`.',
  ),
  ALLOW_NON_DURABLE_REDIS: choice(
    'no',
    ['no', 'yes'],
    'Whether to serve although the Redis of `REDIS_URL` is set so that it could lose what it has acknowledged. See [redis.md](../operations/redis.md).',
  ),
  CLICKHOUSE_URL: url(
    '',
    ['http:', 'https:'],
    'The ClickHouse that holds the calls. Empty: standalone starts its own; other processes use `http://127.0.0.1:8123`.',
  ),
  CLICKHOUSE_USER: text('default', 'User at `CLICKHOUSE_URL`.'),
  CLICKHOUSE_PASSWORD: secret('Password at `CLICKHOUSE_URL`.'),
  CLICKHOUSE_DATABASE: text('default', 'Database of all tables. It must exist.'),
  CLICKHOUSE_CLUSTER: text(
    '',
    'Name of a ClickHouse cluster. When set, migrations make replicated and distributed tables.',
  ),
  REQUEST_TIMEOUT_MS: integer(
    300_000,
    { min: 500, max: 3_600_000 },
    'Time in which a request must have arrived whole, its headers in a tenth of it and never more than 20 s. Slower ones get 408.',
  ),
  TRUSTED_PROXIES: text(
    '',
    'Addresses, networks or `loopback`, `linklocal`, `uniquelocal`, separated by commas: proxies whose `X-Forwarded-For` says who is asking.',
  ),
  CORS_ORIGINS: text(
    '',
    'Origins, separated by commas, whose pages may call from a browser. Empty: none may.',
  ),
  LOGIN_MAX_FAILURES_PER_MINUTE: integer(
    60,
    { min: 0, max: 1_000_000 },
    'Unknown API keys one address may try in a minute before it gets 429. 0 is no limit.',
  ),
  KEY_MAX_REQUESTS_PER_SECOND: integer(
    0,
    { min: 0, max: 1_000_000_000 },
    'Requests one API key may send in a second before it gets 429. 0 is no limit.',
  ),
  KEY_MAX_BYTES_PER_SECOND: integer(
    0,
    { min: 0, max: 1024 * 1024 * MiB },
    'Bytes one API key may send in a second before it gets 429. 0 is no limit.',
  ),
  KEY_MAX_CONCURRENT_QUERIES: integer(
    64,
    { min: 0, max: 1_000_000 },
    'Reads one API key may have under way at the same time before it gets 429. 0 is any number.',
  ),
  BODY_MAX_BYTES: integer(
    32 * MiB,
    { min: 1024, max: 512 * MiB },
    'Largest request body, counted after decompression. Larger ones get 413.',
  ),
  FILE_MAX_BYTES: integer(
    256 * MiB,
    { min: 1024, max: 16 * 1024 * MiB },
    'Largest file that can be uploaded. Larger ones get 413.',
  ),
  FILES_S3_BUCKET: text(
    '',
    'Bucket for the bytes of files, at anything that speaks S3. Empty: they are kept in ClickHouse. Files that are there already stay readable.',
  ),
  FILES_S3_URL: url('', ['http:', 'https:'], 'Address of the S3 server. Empty: AWS.'),
  FILES_S3_REGION: text('us-east-1', 'Region of the bucket.'),
  FILES_S3_PREFIX: text('', 'What the names of all files in the bucket begin with.'),
  FILES_S3_KEY_ID: text('', 'Access key of the bucket. Empty: the credentials of the machine.'),
  FILES_S3_SECRET: secret('Secret of `FILES_S3_KEY_ID`.'),
  REDACT_KEYS: text(
    [
      'authorization,authtoken,bearertoken,authheaders,awsaccesskey,awsaccesskeyid,webhookkey,webhooksecret',
      '*apikey,*apitoken,*accesstoken,*refreshtoken,*sessiontoken,*clientsecret,*privatekey,*secretkey,*secretaccesskey',
    ].join(','),
    'Keys in `inputs`, `attributes` and spans under which strings are stored as `REDACTED`. Names count without `_` and `-` and in any case; `*` stands for any beginning. `none` stores everything as it comes.',
  ),
  QUEUE_MEMORY_PERCENT: integer(
    75,
    { min: 1, max: 99 },
    "Share of Redis's `maxmemory` above which writes get 429 until the workers have caught up.",
  ),
  PROJECT_MAX_PENDING_BYTES: integer(
    0,
    { min: 0, max: 1024 * 1024 * MiB },
    'Bytes one project may have waiting in the queue before it gets 429, the request itself counted. 0 is no limit of its own.',
  ),
  PROJECT_MAX_FACTS_PER_SECOND: integer(
    0,
    { min: 0, max: 1_000_000_000 },
    'Facts about calls one project may send in a second before it gets 429. 0 is no limit.',
  ),
  PROJECT_MAX_REQUESTS_PER_SECOND: integer(
    0,
    { min: 0, max: 1_000_000_000 },
    'Requests one project may get in a second before they get 429. 0 is no limit.',
  ),
  PROJECT_MAX_BYTES_PER_SECOND: integer(
    0,
    { min: 0, max: 1024 * 1024 * MiB },
    'Bytes one project may be sent in a second before they get 429. 0 is no limit.',
  ),
  PROJECT_MAX_CONCURRENT_QUERIES: integer(
    128,
    { min: 0, max: 1_000_000 },
    'Reads one project may have under way at the same time before they get 429. 0 is any number.',
  ),
  WORKER_CONCURRENCY: integer(
    64,
    { min: 1, max: 1024 },
    'Jobs one worker holds at the same time in each lane; they share their inserts. What they hold is bounded by three times FLUSH_MAX_BYTES.',
  ),
  FLUSH_INTERVAL_MS: integer(
    150,
    { min: 0, max: 60_000 },
    'Least time between the beginnings of two inserts of a worker. A fact that arrives after a pause is inserted at once.',
  ),
  FLUSH_MAX_BYTES: integer(
    8 * MiB,
    { min: 1024, max: 256 * MiB },
    'A flush of this size is inserted without waiting for the interval.',
  ),
  OPEN_CALLS_MAX_BYTES: integer(
    16 * MiB,
    { min: 0, max: 1024 * MiB },
    'What a worker keeps of calls that have begun and not ended, so that their end need not read the start back. 0 keeps nothing.',
  ),
  READ_WAIT_MS: integer(
    1000,
    { min: 0, max: 60_000 },
    "Longest time a read waits for the caller's own writes to become visible.",
  ),
  READY_MAX_LAG_MS: integer(
    60_000,
    { min: 1000, max: 86_400_000 },
    '`/readyz` turns red when facts are older than this and nothing has been stored for as long; that of a worker also when the oldest of them stays behind.',
  ),
  QUERY_MAX_SECONDS: integer(
    60,
    { min: 1, max: 3600 },
    'Longest time one question may take in ClickHouse. Longer ones get 504.',
  ),
  QUERY_MAX_MEMORY_BYTES: integer(
    1024 * MiB,
    { min: 16 * MiB, max: 1024 * 1024 * MiB },
    'Most memory one question may take in ClickHouse. Larger ones get 413.',
  ),
  QUERY_MAX_ROWS: integer(
    0,
    { min: 0, max: 1_000_000_000_000 },
    'Most rows one question may read in ClickHouse; 0 means any number. Larger ones get 413.',
  ),
  QUERY_ADMIN_FACTOR: integer(
    4,
    { min: 1, max: 1000 },
    'Questions of keys with the role `admin` may take this many times as long, as much memory and as many rows.',
  ),
} as const;

export type SettingName = keyof typeof SETTINGS;
