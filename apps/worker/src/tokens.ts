/** Injects the process's `WorkerConfig`. */
export const WORKER_CONFIG = Symbol('worker config');
/** Injects the process's `Logger`. */
export const LOGGER = Symbol('logger');
