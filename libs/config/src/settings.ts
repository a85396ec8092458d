import { addresses, choice, grants, integer, networks, secret, text, url } from './setting.js';
import { PROJECT_SETTINGS } from './project-settings.js';
import { STORAGE_SETTINGS } from './storage-settings.js';
import { TRACING_SETTINGS } from './tracing-settings.js';

const MiB = 1024 * 1024;

/** Every environment variable. `docs/reference/configuration.md` is generated from this table. */
export const SETTINGS = {
  HOST: text('127.0.0.1', 'Address to listen on. Use `0.0.0.0` in a container.'),
  PORT: integer(
    0,
    { min: 0, max: 65_535 },
    'Port to listen on. 0 selects the default of the process: 8080 standalone, 8081 ingest, 8082 query, 8083 worker (health only).',
  ),
  LOG_LEVEL: choice(
    'info',
    ['debug', 'info', 'warn', 'error'],
    'Lowest level that is logged, on standard error.',
  ),
  LOG_FORMAT: choice('json', ['json', 'pretty'], 'One JSON document per line, or text for people.'),
  ...TRACING_SETTINGS,
  DATA_DIR: text('data', 'Data directory of the standalone process.'),
  HEDDLE_API_KEY: secret(
    'An API key that is always accepted, for scripts and compose. When empty, standalone creates a key at its first start.',
  ),
  HEDDLE_USER: text('admin', 'User of `HEDDLE_API_KEY`, or of the key created at the first start.'),
  REDIS_URL: url(
    '',
    ['redis:', 'rediss:'],
    'The Redis for the queue. When empty, standalone starts its own Redis and other processes use `redis://127.0.0.1:6379`.',
  ),
  REDIS_SENTINELS: addresses(
    'The Sentinels that know the current master. When set, `REDIS_URL` supplies only user, password, database and TLS. See [redis.md](../operations/redis.md).',
  ),
  REDIS_SENTINEL_MASTER: text('mymaster', 'Name of the master at `REDIS_SENTINELS`.'),
  REDIS_SENTINEL_PASSWORD: secret('Password of the Sentinels themselves.'),
  REDIS_CA_FILE: text(
    '',
    'A PEM file with the certificate authority of a `rediss://` server and of its Sentinels. When empty, the public ones are trusted.',
  ),
  REDIS_CERT_FILE: text(
    '',
    'A PEM file with the client certificate for a `rediss://` server that requires one, and for its Sentinels.',
  ),
  REDIS_KEY_FILE: text('', 'A PEM file with the key of `REDIS_CERT_FILE`.'),
  REDIS_REPLICA_WAIT_MS: integer(
    1000,
    { min: 0, max: 4000 },
    'How long a write waits until a replica of Redis has it, if there are replicas. After that the client gets 503. 0 does not wait.',
  ),
  ALLOW_NON_DURABLE_REDIS: choice(
    'no',
    ['no', 'yes'],
    'Whether to accept writes although Redis is configured so that it could lose them, or does not report how it is configured. See [redis.md](../operations/redis.md).',
  ),
  CLICKHOUSE_URL: url(
    '',
    ['http:', 'https:'],
    'The ClickHouse server. When empty, standalone starts its own ClickHouse and other processes use `http://127.0.0.1:8123`.',
  ),
  CLICKHOUSE_USER: text('default', 'User at `CLICKHOUSE_URL`.'),
  CLICKHOUSE_PASSWORD: secret('Password at `CLICKHOUSE_URL`.'),
  CLICKHOUSE_DATABASE: text('default', 'Database for all tables. It must exist.'),
  CLICKHOUSE_CA_FILE: text(
    '',
    'A PEM file with the certificate authority of an `https://` server. When empty, the public ones are trusted.',
  ),
  CLICKHOUSE_CERT_FILE: text(
    '',
    'A PEM file with the client certificate for an `https://` server that requires one. Without `CLICKHOUSE_PASSWORD`, it also authenticates the user.',
  ),
  CLICKHOUSE_KEY_FILE: text('', 'A PEM file with the key of `CLICKHOUSE_CERT_FILE`.'),
  CLICKHOUSE_CLUSTER: text(
    '',
    'Name of a ClickHouse cluster. When set, migrations create replicated and distributed tables. See [clickhouse-cluster.md](../operations/clickhouse-cluster.md).',
  ),
  CLICKHOUSE_REPLICATED: choice(
    'yes',
    ['yes', 'no'],
    'Whether the tables of a cluster are replicated. Without replication a lost disk loses its shard.',
  ),
  ...STORAGE_SETTINGS,
  REQUEST_TIMEOUT_MS: integer(
    300_000,
    { min: 500, max: 3_600_000 },
    'Time limit for receiving a whole request. Its headers must arrive within a tenth of that time, at most 20 s. Slower requests get 408.',
  ),
  MAX_CONNECTIONS: integer(
    0,
    { min: 0, max: 1_000_000 },
    'Connections that a process accepts at once. 0 is three quarters of the limit of open files (`ulimit -n`) less 128, at most 10,000. See [connections](limits.md#a-connection).',
  ),
  MAX_CONNECTIONS_PER_ADDRESS: integer(
    0,
    { min: 0, max: 1_000_000 },
    'Connections that a process accepts at once from one address, except from `TRUSTED_PROXIES`. 0 is half of `MAX_CONNECTIONS`.',
  ),
  TRUSTED_PROXIES: text(
    '',
    'Proxies whose `X-Forwarded-For` header is trusted: addresses, networks, `loopback`, `linklocal` or `uniquelocal`, separated by commas.',
  ),
  CORS_ORIGINS: text(
    '',
    'Origins from which browsers may send requests (CORS), separated by commas. Empty allows none.',
  ),
  PUBLIC_URL: url(
    '',
    ['https:', 'http:'],
    'The address at which browsers open the page, such as `https://traces.example.com`. Needed for `OIDC_ISSUER`.',
  ),
  OIDC_ISSUER: url(
    '',
    ['https:', 'http:'],
    'An OpenID Connect issuer whose users may log in to the page. `http://` is accepted for a loopback address only. See [security.md](../operations/security.md).',
  ),
  OIDC_NAME: text('', 'What the page calls the issuer. When empty, its host name.'),
  OIDC_CLIENT_ID: text('', 'The client id of Heddle at `OIDC_ISSUER`.'),
  OIDC_CLIENT_SECRET: secret('The client secret at `OIDC_ISSUER`. Empty for a public client.'),
  OIDC_SCOPES: text('openid email profile', 'The scopes of a login, separated by spaces.'),
  OIDC_USER_CLAIM: text('email', 'The claim that becomes the user of a login.'),
  OIDC_GROUPS_CLAIM: text('groups', 'The claim that has the groups of a user.'),
  OIDC_GRANTS: grants(
    'The groups whose users may log in, and what they may do, such as `ml=write@acme,sre=admin@*`. The first group of the list that a user has decides.',
  ),
  LOGIN_MAX_FAILURES_PER_MINUTE: integer(
    60,
    { min: 0, max: 1_000_000 },
    'Requests with an unknown API key that one address may send per minute before it gets 429. 0 is no limit.',
  ),
  KEY_MAX_REQUESTS_PER_SECOND: integer(
    0,
    { min: 0, max: 1_000_000_000 },
    'Requests per second of one API key before it gets 429. 0 is no limit.',
  ),
  KEY_MAX_BYTES_PER_SECOND: integer(
    0,
    { min: 0, max: 1024 * 1024 * MiB },
    'Bytes per second of one API key before it gets 429. 0 is no limit.',
  ),
  KEY_MAX_CONCURRENT_QUERIES: integer(
    64,
    { min: 0, max: 1_000_000 },
    'Concurrent reads of one API key before it gets 429. 0 is no limit.',
  ),
  BODY_MAX_BYTES: integer(
    32 * MiB,
    { min: 1024, max: 512 * MiB },
    'Largest request body after decompression. Larger ones get 413.',
  ),
  BODIES_MAX_BYTES: integer(
    64 * MiB,
    { min: 1024, max: 16 * 1024 * MiB },
    'Bytes of all request bodies above 64 KiB that a process has in memory at the same time. More of them wait up to 10 s before they get 503. A tenant uses at most half; a larger body counts as half.',
  ),
  FILE_MAX_BYTES: integer(
    256 * MiB,
    { min: 1024, max: 16 * 1024 * MiB },
    'Largest file that can be uploaded. Larger ones get 413.',
  ),
  FILES_S3_BUCKET: text(
    '',
    'S3-compatible bucket for the contents of files. When empty, files are stored in ClickHouse. Files already in ClickHouse stay readable.',
  ),
  FILES_S3_URL: url('', ['http:', 'https:'], 'URL of the S3 server. When empty, AWS is used.'),
  FILES_S3_REGION: text('us-east-1', 'Region of the bucket.'),
  FILES_S3_PREFIX: text('', 'Prefix of all object keys in the bucket.'),
  FILES_S3_KEY_ID: text(
    '',
    'Access key id for the bucket. When empty, the credentials of the machine are used.',
  ),
  FILES_S3_SECRET: secret('Secret access key of `FILES_S3_KEY_ID`.'),
  REDACT_KEYS: text(
    [
      'authorization,authtoken,bearertoken,authheaders,awsaccesskey,awsaccesskeyid,webhookkey,webhooksecret',
      '*apikey,*apitoken,*accesstoken,*refreshtoken,*sessiontoken,*clientsecret,*privatekey,*secretkey,*secretaccesskey',
    ].join(','),
    'Keys in `inputs`, `attributes` and spans whose string values are stored as `REDACTED`. Names are compared without `_` and `-` and ignoring case; a leading `*` matches any prefix. `none` stores everything as sent.',
  ),
  QUEUE_MEMORY_PERCENT: integer(
    75,
    { min: 1, max: 99 },
    "Percentage of Redis's `maxmemory` above which writes get 429 until the workers have caught up.",
  ),
  QUEUE_TARGET_MS: integer(
    700,
    { min: 0, max: 3_600_000 },
    'When facts of calls that arrive now would wait longer than this for a worker, responses to projects with more than 4 MiB pending are delayed, by at most 5 s. Clients that wait for their responses slow down, and what they sent can be read soon. 0 delays none.',
  ),
  DISK_MIN_FREE_BYTES: integer(
    0,
    { min: 0, max: 1024 * 1024 * 1024 * MiB },
    'Free space below which writes get 503: on the disk of the queue, if `REDIS_DATA_DIR` or standalone knows it, and on the disks of ClickHouse. 0 is a tenth of each disk, at most 1 GiB. See [disk-full.md](../operations/disk-full.md).',
  ),
  REDIS_DATA_DIR: text(
    '',
    "The directory with Redis's data, if this process can read it. Its free space is then watched. Standalone sets it for its own Redis.",
  ),
  ...PROJECT_SETTINGS,
  WEBHOOK_ALLOWED_NETWORKS: networks(
    'Private addresses and networks to which the webhooks of alerts may be sent, such as `10.1.0.0/16`, separated by commas. `http://` is accepted for these only. Empty allows none. See [alert-rules.md](../operations/alert-rules.md).',
  ),
  WORKER_CONCURRENCY: integer(
    64,
    { min: 1, max: 1024 },
    'Jobs that one worker processes concurrently in each lane. They share inserts, and their facts in memory are limited to three times `FLUSH_MAX_BYTES`.',
  ),
  FLUSH_INTERVAL_MS: integer(
    150,
    { min: 0, max: 60_000 },
    'Minimum time between the starts of two inserts of a worker. A fact that arrives later than that is inserted immediately.',
  ),
  FLUSH_MAX_BYTES: integer(
    8 * MiB,
    { min: 1024, max: 256 * MiB },
    'A flush that reaches this size is inserted without waiting for `FLUSH_INTERVAL_MS`.',
  ),
  OPEN_CALLS_MAX_BYTES: integer(
    64 * MiB,
    { min: 0, max: 1024 * MiB },
    "Maximum memory of a worker for calls that have started and not ended, so that it does not read a call's start again when its end arrives. A call takes its start and 2 KB. 0 disables this cache.",
  ),
  READ_WAIT_MS: integer(
    1000,
    { min: 0, max: 60_000 },
    "Maximum time that a read waits for the client's own writes to become visible.",
  ),
  READY_MAX_LAG_MS: integer(
    60_000,
    { min: 1000, max: 86_400_000 },
    '`/readyz` fails when facts have been pending for longer than this and no fact was stored in that time. On a worker it also fails when the oldest fact stays pending that long.',
  ),
  QUERY_MAX_SECONDS: integer(
    60,
    { min: 1, max: 3600 },
    'Time limit of a query in ClickHouse. Slower queries get 504.',
  ),
  QUERY_MAX_MEMORY_BYTES: integer(
    1024 * MiB,
    { min: 16 * MiB, max: 1024 * 1024 * MiB },
    'Memory limit of a query in ClickHouse. Larger queries get 413.',
  ),
  QUERY_MAX_ROWS: integer(
    0,
    { min: 0, max: 1_000_000_000_000 },
    'Maximum number of rows that a query may read in ClickHouse. Larger queries get 413. 0 is no limit.',
  ),
  QUERY_MAX_STATEMENTS: integer(
    0,
    { min: 0, max: 64 },
    'Lookups that one process executes in ClickHouse at the same time for reads, and half of that number of other statements, of which an expensive one counts several times. 0: four for each core of this machine, from 8 to 24. A key or a project uses at most half of each. Further statements wait for their turn.',
  ),
  QUERY_MAX_WAIT_MS: integer(
    10_000,
    { min: 100, max: 600_000 },
    'Maximum time that a statement of a read waits for its turn. After that the read gets 503.',
  ),
  QUERY_MAX_EXPANDED_BYTES: integer(
    128 * MiB,
    { min: 1024, max: 64 * 1024 * MiB },
    'Maximum bytes of the values of refs in one response, for `expand_columns` and `refs/read_batch`. Larger responses get 413. All responses of a process together may have four times as much in memory; above that, reads of refs get 503.',
  ),
  QUERY_MAX_STREAM_ROWS: integer(
    0,
    { min: 0, max: 1_000_000_000_000 },
    'Maximum number of rows in a response that is sent while it is read, such as a list of calls. 0 is no limit. A longer one gets 413 if nothing was sent; otherwise the connection ends.',
  ),
  QUERY_MAX_STREAM_BYTES: integer(
    0,
    { min: 0, max: 1024 * 1024 * 1024 * MiB },
    'The same limit in bytes, before compression. Exports have only this one. 0 is no limit.',
  ),
  QUERY_ADMIN_FACTOR: integer(
    4,
    { min: 1, max: 1000 },
    'Factor by which the limits on time, memory, rows and streams are larger for keys with the role `admin`.',
  ),
} as const;

export type SettingName = keyof typeof SETTINGS;
