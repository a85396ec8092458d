/** Injects the IngestConfig. */
export const INGEST_CONFIG = Symbol('ingest config');
