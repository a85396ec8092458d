/** What the process gives to its rooms besides classes. */
export const INGEST_CONFIG = Symbol('ingest config');
