/** Injects the process's `RedisConfig`. */
export const REDIS_CONFIG = Symbol('Redis config');
