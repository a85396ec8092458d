export { openDataDirectory } from './data-directory.js';
export { readLocalStores, writeLocalStores } from './local-stores.js';
export { freePort, isFree } from './free-port.js';
export { startRedis } from './embedded-redis.js';
export type { EmbeddedRedis } from './embedded-redis.js';
export { startClickHouse } from './embedded-clickhouse.js';
export type { EmbeddedClickHouse } from './embedded-clickhouse.js';
export { SupervisedProcess } from './supervised-process.js';
export type { ProcessOptions } from './supervised-process.js';
