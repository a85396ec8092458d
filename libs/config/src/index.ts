export type {
  AuthConfig,
  ClickHouseConfig,
  Config,
  HealthConfig,
  FilesConfig,
  IngestConfig,
  OpenIdConfig,
  QueryConfig,
  RedisConfig,
  ServerConfig,
  StorageConfig,
  TracingConfig,
  WorkerConfig,
} from './config.js';
export { packageRoot, version } from './package-root.js';
export { isLoopback, logFormatIn, readConfig } from './read-config.js';
export { StartupError } from './startup-error.js';
export { readTlsFiles, type TlsConfig, type TlsFiles } from './tls-files.js';
