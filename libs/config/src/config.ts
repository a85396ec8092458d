export interface ServerConfig {
  readonly host: string;
  /** 0 means the default of the process. */
  readonly port: number;
  readonly bodyMaxBytes: number;
  /** A request must have arrived whole by then. */
  readonly requestTimeoutMs: number;
  /** Whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly string[];
  /** Pages of these origins may call; none unless given. */
  readonly corsOrigins: readonly string[];
}

export interface AuthConfig {
  /** Empty when none was given. */
  readonly apiKey: string;
  readonly user: string;
  readonly limits: KeyLimitsConfig;
}

/** What one key, or one address, may ask of the server; 0 is no limit. */
export interface KeyLimitsConfig {
  readonly maxRequestsPerSecond: number;
  readonly maxBytesPerSecond: number;
  readonly maxFailuresPerMinute: number;
}

export interface RedisConfig {
  /** Empty when none was given. */
  readonly url: string;
  /** Whether to serve although Redis could lose what it has acknowledged. */
  readonly mayForget: boolean;
  readonly memoryPercent: number;
  readonly limits: ProjectLimitsConfig;
}

/** What one project may ask of the queue; 0 is no limit. */
export interface ProjectLimitsConfig {
  readonly maxPendingBytes: number;
  readonly maxFactsPerSecond: number;
  readonly maxRequestsPerSecond: number;
  readonly maxBytesPerSecond: number;
}

export interface ClickHouseConfig {
  /** Empty when none was given. */
  readonly url: string;
  readonly user: string;
  readonly password: string;
  readonly database: string;
  /** Empty for a single server. */
  readonly cluster: string;
}

export interface WorkerConfig {
  readonly concurrency: number;
  readonly flushIntervalMs: number;
  readonly flushMaxBytes: number;
  readonly openCallsMaxBytes: number;
}

/** A bucket for files; without one they are kept in ClickHouse. */
export interface FilesConfig {
  /** Empty when there is none. */
  readonly bucket: string;
  /** Empty for AWS itself. */
  readonly url: string;
  readonly region: string;
  readonly prefix: string;
  /** Empty when the credentials of the machine are to be used. */
  readonly keyId: string;
  readonly secret: string;
}

export interface IngestConfig {
  /** Names of keys under which credentials stand; none to store everything as it comes. */
  readonly redactKeys: readonly string[];
  readonly fileMaxBytes: number;
  readonly files: FilesConfig;
}

export interface QueryConfig {
  readonly files: FilesConfig;
  readonly readWaitMs: number;
  readonly maxSeconds: number;
  readonly maxMemoryBytes: number;
  /** 0 means any number. */
  readonly maxRows: number;
  /** How much larger the three bounds above are for administrators. */
  readonly adminFactor: number;
  /** Questions under way at the same time; 0 means any number. */
  readonly keyMaxQuestions: number;
  readonly projectMaxQuestions: number;
}

export interface HealthConfig {
  readonly maxLagMs: number;
}

/** Everything a person can tune, read once at start. Rooms receive their section, not the whole. */
export interface Config {
  readonly server: ServerConfig;
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error';
  readonly dataDir: string;
  readonly auth: AuthConfig;
  readonly redis: RedisConfig;
  readonly clickhouse: ClickHouseConfig;
  readonly worker: WorkerConfig;
  readonly ingest: IngestConfig;
  readonly query: QueryConfig;
  readonly health: HealthConfig;
}
