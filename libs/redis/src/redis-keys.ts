/** All keys share one hash tag, so that one node of a Redis Cluster has all of them and a transaction may use any. */
export const KEY_PREFIX = '{heddle}';

/** hash: SHA-256 of an API key → its owner, as JSON. */
export const API_KEYS = `${KEY_PREFIX}:api-keys`;
/** hash: id of an API key → when it was last used (ms). */
export const API_KEY_USES = `${KEY_PREFIX}:key-uses`;

/** hash: project → its alert rules as JSON, with the secrets of their webhooks. */
export const ALERT_RULES = `${KEY_PREFIX}:alert-rules`;
/** hash: project → the status of each of its alert rules, as JSON. */
export const ALERT_STATUSES = `${KEY_PREFIX}:alert-statuses`;
/** The project at which the last run of the job ended. */
export const ALERT_CURSOR = `${KEY_PREFIX}:alert-cursor`;

/** A part of a key, without colons. `encodeURIComponent` throws on half a surrogate pair, which JSON allows. */
export const keyPart = (text: string): string => encodeURIComponent(text.toWellFormed());
