import {
  AGENT_SPANS,
  ANNOTATION_ITEMS,
  ANNOTATION_QUEUES,
  DATASET_SOURCES,
  FEEDBACK,
  OBJECT_ALIASES,
  OBJECT_TAGS,
  OBJECTS,
  PRICES,
  PROJECTS,
  TABLES,
} from '@app/clickhouse';
import type { CheckedTable } from './repair.sql.js';

/** Usage is exchanged first, because a row of `calls` is taken as proof that its usage is stored. */
export const CALLS_TABLES: readonly CheckedTable[] = ['root_usage', 'calls'];

/** Rows of tables and chunks of files are not rebuilt: they are part of the log. */
export const RECORDS_TABLES: readonly string[] = [
  OBJECTS,
  OBJECT_TAGS,
  OBJECT_ALIASES,
  TABLES,
  FEEDBACK,
  PRICES,
  PROJECTS,
  AGENT_SPANS,
  ANNOTATION_QUEUES,
  ANNOTATION_ITEMS,
  DATASET_SOURCES,
].map(({ name }) => name);

export const REBUILT_TABLES = [...CALLS_TABLES, ...RECORDS_TABLES];
