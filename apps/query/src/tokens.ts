/** Injection token of the QueryConfig. */
export const QUERY_CONFIG = Symbol('QueryConfig');
