export { openDataDirectory } from './data-directory.js';
export type { DataDirectory } from './data-directory.js';
export { startRedis } from './embedded-redis.js';
export type { EmbeddedRedis, RedisOptions } from './embedded-redis.js';
export { startClickHouse } from './embedded-clickhouse.js';
export type { ClickHouseOptions, EmbeddedClickHouse } from './embedded-clickhouse.js';
export { SupervisedProcess } from './supervised-process.js';
export type { ProcessEvents, ProcessPlan } from './supervised-process.js';
export type { ChildEnd } from './child.js';
