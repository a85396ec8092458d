import { textAtPath } from '@app/wire';
import type { Json } from './evaluation-records.js';

/** The text of a member of a JSON object; undefined when it is absent, or when there is no object. */
export const memberOf = (object: Json, ...path: readonly string[]): Json | undefined =>
  object.startsWith('{') ? textAtPath(Buffer.from(object), path) : undefined;
