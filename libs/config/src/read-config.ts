import { availableParallelism } from 'node:os';
import { SettingError, type Setting } from './setting.js';
import { SETTINGS, type SettingName } from './settings.js';
import { StartupError } from './startup-error.js';
import type { Config, OpenIdConfig } from './config.js';

export type Environment = Readonly<Record<string, string | undefined>>;

type Values = {
  [Name in SettingName]: (typeof SETTINGS)[Name] extends Setting<infer T> ? T : never;
};

/** Reads the configuration. Throws one StartupError that lists all problems. */
export function readConfig(env: Environment = process.env): Config {
  const problems = unknownNames(env);
  const values: Partial<Record<SettingName, unknown>> = {};
  for (const [name, setting] of Object.entries(SETTINGS) as [SettingName, Setting<unknown>][]) {
    try {
      values[name] = parseValue(env[name], setting);
    } catch (error) {
      if (!(error instanceof SettingError)) throw error;
      problems.push(`${name} ${error.message}${givenValue(env[name], setting)}`);
    }
  }
  problems.push(...halfCertificates(env));
  if (problems.length === 0) {
    const all = values as Values;
    problems.push(...openIdProblems(all), ...tracingProblems(all), ...storageProblems(all));
  }
  if (problems.length > 0) throw new StartupError(message(problems));
  return sections(values as Values);
}

/** The format of the log before the configuration could be read. */
export const logFormatIn = (env: Environment = process.env): 'json' | 'pretty' =>
  env['LOG_FORMAT'] === 'pretty' ? 'pretty' : 'json';

function parseValue(text: string | undefined, setting: Setting<unknown>): unknown {
  return text === undefined || text === '' ? setting.fallback : setting.parse(text);
}

function givenValue(text = '', setting: Setting<unknown>): string {
  const shown = setting.shown(text);
  return shown === undefined ? '' : `, not ${JSON.stringify(shown.slice(0, 60))}`;
}

/** A certificate is of no use without its key, nor the other way round. */
function halfCertificates(env: Environment): string[] {
  const pairs = ['REDIS', 'CLICKHOUSE'].map((of) => [`${of}_CERT_FILE`, `${of}_KEY_FILE`]);
  return pairs
    .map((names) => names.filter((name) => env[name]))
    .flatMap((given, i) =>
      given.length === 1 ? [`${pairs[i]!.join(' and ')} must be set together`] : [],
    );
}

/** Reports unknown variables with our prefix, which would otherwise be ignored silently. */
function unknownNames(env: Environment): string[] {
  return Object.keys(env)
    .filter((name) => name.startsWith('HEDDLE_') && !(name in SETTINGS))
    .map((name) => `${name} is not a setting of Heddle`);
}

function message(problems: string[]): string {
  const list = problems.map((problem) => `  - ${problem}`).join('\n');
  return `The configuration is invalid; correct these environment variables (see docs/reference/configuration.md):\n${list}`;
}

/** What is missing or contradictory in the settings of OpenID Connect. */
function openIdProblems(v: Values): string[] {
  if (v.OIDC_ISSUER === '') return [];
  const needed = { OIDC_CLIENT_ID: v.OIDC_CLIENT_ID, PUBLIC_URL: v.PUBLIC_URL };
  const problems = Object.entries(needed)
    .filter(([, value]) => value === '')
    .map(([name]) => `${name} must be set, because OIDC_ISSUER is`);
  if (v.OIDC_GRANTS.length === 0) {
    problems.push('OIDC_GRANTS must name at least one group, because OIDC_ISSUER is set');
  }
  if (v.PUBLIC_URL !== '' && new URL(v.PUBLIC_URL).pathname !== '/') {
    problems.push('PUBLIC_URL must not have a path');
  }
  if (new URL(v.OIDC_ISSUER).protocol === 'http:' && !isLoopback(new URL(v.OIDC_ISSUER).hostname)) {
    problems.push('OIDC_ISSUER must start with https:// unless it is on a loopback address');
  }
  return problems;
}

/** Requests refuse a URL with credentials, and only when they are sent. */
function tracingProblems({ TRACING_URL }: Values): string[] {
  if (TRACING_URL === '' || new URL(TRACING_URL).username === '') return [];
  return ['TRACING_URL must have no user and password; set TRACING_HEADERS'];
}

function storageProblems({ COLD_DIR, CLICKHOUSE_URL }: Values): string[] {
  if (COLD_DIR === '' || CLICKHOUSE_URL === '') return [];
  return [
    'COLD_DIR is for the embedded ClickHouse; with CLICKHOUSE_URL, set CLICKHOUSE_STORAGE_POLICY',
  ];
}

/** Whether only programs of this machine can connect to the host. */
export const isLoopback = (host: string): boolean =>
  /^(localhost|127(\.\d+){3}|::1|\[::1\])$/.test(host);

function openIdConfig(v: Values): OpenIdConfig | undefined {
  if (v.OIDC_ISSUER === '') return undefined;
  return {
    issuer: v.OIDC_ISSUER,
    name: v.OIDC_NAME || new URL(v.OIDC_ISSUER).hostname,
    clientId: v.OIDC_CLIENT_ID,
    clientSecret: v.OIDC_CLIENT_SECRET,
    scopes: v.OIDC_SCOPES,
    userClaim: v.OIDC_USER_CLAIM,
    groupsClaim: v.OIDC_GROUPS_CLAIM,
    grants: v.OIDC_GRANTS,
    publicUrl: new URL(v.PUBLIC_URL).origin,
  };
}

const commaSeparated = (text: string): string[] =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean);

function sections(v: Values): Config {
  const files = {
    bucket: v.FILES_S3_BUCKET,
    url: v.FILES_S3_URL,
    region: v.FILES_S3_REGION,
    prefix: v.FILES_S3_PREFIX,
    keyId: v.FILES_S3_KEY_ID,
    secret: v.FILES_S3_SECRET,
  };
  const webhooks = { allowedNetworks: v.WEBHOOK_ALLOWED_NETWORKS };
  return Object.freeze({
    server: {
      host: v.HOST,
      port: v.PORT,
      bodyMaxBytes: v.BODY_MAX_BYTES,
      bodiesMaxBytes: v.BODIES_MAX_BYTES,
      requestTimeoutMs: v.REQUEST_TIMEOUT_MS,
      maxConnections: v.MAX_CONNECTIONS,
      maxConnectionsPerAddress: v.MAX_CONNECTIONS_PER_ADDRESS,
      trustedProxies: commaSeparated(v.TRUSTED_PROXIES),
      corsOrigins: commaSeparated(v.CORS_ORIGINS),
    },
    logLevel: v.LOG_LEVEL,
    logFormat: v.LOG_FORMAT,
    tracing: {
      url: v.TRACING_URL,
      sampleRatio: v.TRACING_SAMPLE_RATIO,
      headers: v.TRACING_HEADERS,
    },
    dataDir: v.DATA_DIR,
    auth: {
      apiKey: v.HEDDLE_API_KEY,
      user: v.HEDDLE_USER,
      limits: {
        maxRequestsPerSecond: v.KEY_MAX_REQUESTS_PER_SECOND,
        maxBytesPerSecond: v.KEY_MAX_BYTES_PER_SECOND,
        maxFailuresPerMinute: v.LOGIN_MAX_FAILURES_PER_MINUTE,
      },
    },
    redis: {
      url: v.REDIS_URL,
      sentinels: v.REDIS_SENTINELS,
      sentinelMaster: v.REDIS_SENTINEL_MASTER,
      sentinelPassword: v.REDIS_SENTINEL_PASSWORD,
      caFile: v.REDIS_CA_FILE,
      certFile: v.REDIS_CERT_FILE,
      keyFile: v.REDIS_KEY_FILE,
      replicaWaitMs: v.REDIS_REPLICA_WAIT_MS,
      allowNonDurable: v.ALLOW_NON_DURABLE_REDIS === 'yes',
      memoryPercent: v.QUEUE_MEMORY_PERCENT,
      pendingTargetMs: v.QUEUE_TARGET_MS,
      dataDir: v.REDIS_DATA_DIR,
      minFreeDiskBytes: v.DISK_MIN_FREE_BYTES,
      limits: {
        maxPendingBytes: v.PROJECT_MAX_PENDING_BYTES,
        maxNewPerHour: v.USER_MAX_NEW_PROJECTS_PER_HOUR,
        maxRejectedPerHour: v.PROJECT_MAX_REJECTED_ITEMS_PER_HOUR,
        maxFactsPerSecond: v.PROJECT_MAX_FACTS_PER_SECOND,
        maxRequestsPerSecond: v.PROJECT_MAX_REQUESTS_PER_SECOND,
        maxBytesPerSecond: v.PROJECT_MAX_BYTES_PER_SECOND,
      },
    },
    clickhouse: {
      url: v.CLICKHOUSE_URL,
      user: v.CLICKHOUSE_USER,
      password: v.CLICKHOUSE_PASSWORD,
      database: v.CLICKHOUSE_DATABASE,
      caFile: v.CLICKHOUSE_CA_FILE,
      certFile: v.CLICKHOUSE_CERT_FILE,
      keyFile: v.CLICKHOUSE_KEY_FILE,
      cluster: v.CLICKHOUSE_CLUSTER,
      replicated: v.CLICKHOUSE_REPLICATED === 'yes',
    },
    storage: {
      policy: v.CLICKHOUSE_STORAGE_POLICY,
      coldVolume: v.COLD_VOLUME,
      coldAfterDays: v.COLD_AFTER_DAYS,
      coldDir: v.COLD_DIR,
    },
    worker: {
      webhooks,
      concurrency: v.WORKER_CONCURRENCY,
      flushIntervalMs: v.FLUSH_INTERVAL_MS,
      flushMaxBytes: v.FLUSH_MAX_BYTES,
      openCallsMaxBytes: v.OPEN_CALLS_MAX_BYTES,
    },
    ingest: {
      webhooks,
      fileMaxBytes: v.FILE_MAX_BYTES,
      files,
      redactKeys: v.REDACT_KEYS === 'none' ? [] : commaSeparated(v.REDACT_KEYS),
    },
    query: {
      openId: openIdConfig(v),
      files,
      readWaitMs: v.READ_WAIT_MS,
      maxSeconds: v.QUERY_MAX_SECONDS,
      maxMemoryBytes: v.QUERY_MAX_MEMORY_BYTES,
      maxRows: v.QUERY_MAX_ROWS,
      maxStatements: v.QUERY_MAX_STATEMENTS || statementsFor(availableParallelism()),
      maxWaitMs: v.QUERY_MAX_WAIT_MS,
      maxExpandedBytes: v.QUERY_MAX_EXPANDED_BYTES,
      maxStreamRows: v.QUERY_MAX_STREAM_ROWS,
      maxStreamBytes: v.QUERY_MAX_STREAM_BYTES,
      adminFactor: v.QUERY_ADMIN_FACTOR,
      keyMaxConcurrentQueries: v.KEY_MAX_CONCURRENT_QUERIES,
      projectMaxConcurrentQueries: v.PROJECT_MAX_CONCURRENT_QUERIES,
    },
    health: { maxLagMs: v.READY_MAX_LAG_MS },
  });
}

/** More of them would not end earlier, and each would take a share of the cores from writes and other tenants. */
export const statementsFor = (cores: number): number => Math.min(Math.max(8, 4 * cores), 24);
