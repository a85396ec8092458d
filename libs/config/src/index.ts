export type {
  AuthConfig,
  ClickHouseConfig,
  Config,
  HealthConfig,
  FilesConfig,
  IngestConfig,
  KeyLimitsConfig,
  ProjectLimitsConfig,
  QueryConfig,
  RedisConfig,
  ServerConfig,
  WorkerConfig,
} from './config.js';
export { configReference } from './config-reference.js';
export { packageRoot, version } from './package-root.js';
export { readConfig, type Environment } from './read-config.js';
export { StartupError } from './startup-error.js';
