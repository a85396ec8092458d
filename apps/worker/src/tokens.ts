/** What the process gives to its rooms besides classes. */
export const WORKER_CONFIG = Symbol('worker config');
export const LOGGER = Symbol('logger');
/** The `CallChunks` of each lane: they share no flush, so that a flood fills its own only. */
export const FAST_JOBS = Symbol('jobs of the fast lane');
export const BULK_JOBS = Symbol('jobs of the bulk lane');
