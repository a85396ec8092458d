/** What the process gives to its rooms besides classes. */
export const WORKER_CONFIG = Symbol('worker config');
export const LOGGER = Symbol('logger');
