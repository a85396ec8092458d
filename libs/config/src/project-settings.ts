import { integer } from './setting.js';

const MiB = 1024 * 1024;

/** What one project, or the projects of one user, may use. */
export const PROJECT_SETTINGS = {
  USER_MAX_NEW_PROJECTS_PER_HOUR: integer(
    1000,
    { min: 0, max: 1_000_000_000 },
    'Projects that one user, with all API keys, may create per hour by writing to them, before further ones get 429. 0 is no limit.',
  ),
  PROJECT_MAX_REJECTED_ITEMS_PER_HOUR: integer(
    10_000,
    { min: 0, max: 1_000_000_000 },
    'Invalid items of calls that are kept as dead letters per hour, of one project, or of one user when they name no project. Further requests with an invalid item get 429. 0 is no limit.',
  ),
  PROJECT_MAX_PENDING_BYTES: integer(
    0,
    { min: 0, max: 1024 * 1024 * MiB },
    'Bytes that one project may have pending in the queue, including the current request, before it gets 429. 0 is no limit.',
  ),
  PROJECT_MAX_FACTS_PER_SECOND: integer(
    0,
    { min: 0, max: 1_000_000_000 },
    'Facts about calls per second of one project before it gets 429. 0 is no limit.',
  ),
  PROJECT_MAX_REQUESTS_PER_SECOND: integer(
    0,
    { min: 0, max: 1_000_000_000 },
    'Requests per second of one project before it gets 429. 0 is no limit.',
  ),
  PROJECT_MAX_BYTES_PER_SECOND: integer(
    0,
    { min: 0, max: 1024 * 1024 * MiB },
    'Bytes per second of one project before it gets 429. 0 is no limit.',
  ),
  PROJECT_MAX_CONCURRENT_QUERIES: integer(
    128,
    { min: 0, max: 1_000_000 },
    'Concurrent reads of one project before it gets 429. 0 is no limit.',
  ),
} as const;
