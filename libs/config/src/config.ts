import type { GroupGrant, HostAndPort } from './setting.js';
import type { TlsConfig } from './tls-files.js';

export interface ServerConfig {
  readonly host: string;
  /** 0 selects the default port of the process. */
  readonly port: number;
  readonly bodyMaxBytes: number;
  /** Of all bodies that are in memory at the same time. */
  readonly bodiesMaxBytes: number;
  /** Time limit for receiving a whole request. */
  readonly requestTimeoutMs: number;
  /** 0 derives them from the limit of open files. */
  readonly maxConnections: number;
  readonly maxConnectionsPerAddress: number;
  /** Proxies whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: readonly string[];
  /** Origins that CORS allows; empty allows none. */
  readonly corsOrigins: readonly string[];
}

export interface AuthConfig {
  /** Empty when not set. */
  readonly apiKey: string;
  readonly user: string;
  readonly limits: KeyLimitsConfig;
}

/** Logins of the page by an OpenID Connect issuer. */
export interface OpenIdConfig {
  readonly issuer: string;
  /** What the page calls the issuer. */
  readonly name: string;
  readonly clientId: string;
  /** Empty for a public client. */
  readonly clientSecret: string;
  readonly scopes: string;
  readonly userClaim: string;
  readonly groupsClaim: string;
  /** In the order of their precedence. */
  readonly grants: readonly GroupGrant[];
  /** The origin at which browsers open the page. */
  readonly publicUrl: string;
}

/** Limits per API key or client address; 0 is no limit. */
interface KeyLimitsConfig {
  readonly maxRequestsPerSecond: number;
  readonly maxBytesPerSecond: number;
  readonly maxFailuresPerMinute: number;
}

export interface RedisConfig extends TlsConfig {
  /** Empty when not set. */
  readonly url: string;
  /** Empty when Redis has no Sentinels. */
  readonly sentinels: readonly HostAndPort[];
  readonly sentinelMaster: string;
  readonly sentinelPassword: string;
  /** How long a write waits for a replica; 0 does not wait. */
  readonly replicaWaitMs: number;
  /** Whether to run with a Redis that could lose acknowledged writes. */
  readonly allowNonDurable: boolean;
  readonly memoryPercent: number;
  /** The age of pending facts above which responses are delayed; 0 delays none. */
  readonly pendingTargetMs: number;
  /** Where Redis stores its data; empty when that is not known. */
  readonly dataDir: string;
  /** Writes are refused below this free space on a disk; 0 is a tenth of the disk, at most 1 GiB. */
  readonly minFreeDiskBytes: number;
  readonly limits: ProjectLimitsConfig;
}

/** Limits per project; 0 is no limit. */
interface ProjectLimitsConfig {
  readonly maxPendingBytes: number;
  /** Projects that one user may create. */
  readonly maxNewPerHour: number;
  /** Invalid items that are kept as dead letters. */
  readonly maxRejectedPerHour: number;
  readonly maxFactsPerSecond: number;
  readonly maxRequestsPerSecond: number;
  readonly maxBytesPerSecond: number;
}

export interface ClickHouseConfig extends TlsConfig {
  /** Empty when not set. */
  readonly url: string;
  readonly user: string;
  readonly password: string;
  readonly database: string;
  /** Empty for a single server. */
  readonly cluster: string;
  /** Whether the tables of the cluster are replicated. */
  readonly replicated: boolean;
}

/** Where ClickHouse stores the large tables. */
export interface StorageConfig {
  /** Empty for the default policy. */
  readonly policy: string;
  readonly coldVolume: string;
  /** Age at which data moves to the cold volume; 0 moves none. */
  readonly coldAfterDays: number;
  /** The cold volume of an embedded ClickHouse; empty without one. */
  readonly coldDir: string;
}

interface WebhooksConfig {
  /** Private networks to which webhooks may be sent. */
  readonly allowedNetworks: readonly string[];
}

export interface WorkerConfig {
  readonly webhooks: WebhooksConfig;
  readonly concurrency: number;
  readonly flushIntervalMs: number;
  readonly flushMaxBytes: number;
  readonly openCallsMaxBytes: number;
}

/** An S3 bucket for files; without one, files are stored in ClickHouse. */
export interface FilesConfig {
  /** Empty when files are stored in ClickHouse. */
  readonly bucket: string;
  /** Empty for AWS itself. */
  readonly url: string;
  readonly region: string;
  readonly prefix: string;
  /** Empty to use the credentials of the machine. */
  readonly keyId: string;
  readonly secret: string;
}

export interface IngestConfig {
  readonly webhooks: WebhooksConfig;
  /** Names of keys whose values are redacted; empty to store everything as sent. */
  readonly redactKeys: readonly string[];
  readonly fileMaxBytes: number;
  readonly files: FilesConfig;
}

export interface QueryConfig {
  /** Undefined when API keys are the only logins. */
  readonly openId: OpenIdConfig | undefined;
  readonly files: FilesConfig;
  readonly readWaitMs: number;
  readonly maxSeconds: number;
  readonly maxMemoryBytes: number;
  /** 0 is no limit. */
  readonly maxRows: number;
  /** Statements that run in ClickHouse at the same time. */
  readonly maxStatements: number;
  /** How long a statement waits for its turn. */
  readonly maxWaitMs: number;
  /** Bytes of the values of refs in one response. */
  readonly maxExpandedBytes: number;
  /** Rows and bytes of a response that is sent while it is read; 0 is no limit. */
  readonly maxStreamRows: number;
  readonly maxStreamBytes: number;
  /** Factor by which the limits on time, memory and rows are larger for administrators. */
  readonly adminFactor: number;
  /** Concurrent queries; 0 is no limit. */
  readonly keyMaxConcurrentQueries: number;
  readonly projectMaxConcurrentQueries: number;
}

/** Spans of Heddle itself. */
export interface TracingConfig {
  /** Empty when nothing is traced. */
  readonly url: string;
  /** From 0 to 1. */
  readonly sampleRatio: number;
  readonly headers: Readonly<Record<string, string>>;
}

export interface HealthConfig {
  readonly maxLagMs: number;
}

/** The whole configuration, read once at startup. Each module receives only its section. */
export interface Config {
  readonly server: ServerConfig;
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error';
  readonly logFormat: 'json' | 'pretty';
  readonly tracing: TracingConfig;
  readonly dataDir: string;
  readonly auth: AuthConfig;
  readonly redis: RedisConfig;
  readonly clickhouse: ClickHouseConfig;
  readonly storage: StorageConfig;
  readonly worker: WorkerConfig;
  readonly ingest: IngestConfig;
  readonly query: QueryConfig;
  readonly health: HealthConfig;
}
