import type { Micros } from '@app/wire';
import { asMicros, asText, asUInt32, asUInt64, asUInt8, type Table } from '../columns.js';

/** Usage of one model by a root call or an OpenTelemetry span. The sum of these rows is the usage of a project. */
export interface RootUsageRow {
  project_id: string;
  started_at: Micros;
  id: string;
  model: string;
  /** Number of the model within the call, from 1. */
  nth: number;
  op_id: string;
  user_id: string;
  requests: number;
  prompt: number;
  uncached: number;
  completion: number;
  cache_read: number;
  cache_write: number;
  total: number;
  version: bigint;
  is_deleted: number;
}

export const ROOT_USAGE: Table<RootUsageRow> = {
  name: 'root_usage',
  columns: {
    project_id: asText,
    started_at: asMicros,
    id: asText,
    model: asText,
    nth: asUInt32,
    op_id: asText,
    user_id: asText,
    requests: asUInt64,
    prompt: asUInt64,
    uncached: asUInt64,
    completion: asUInt64,
    cache_read: asUInt64,
    cache_write: asUInt64,
    total: asUInt64,
    version: asUInt64,
    is_deleted: asUInt8,
  },
};
