/** What the process gives to its rooms besides classes. */
export const QUERY_CONFIG = Symbol('query config');
