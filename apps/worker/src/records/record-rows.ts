import {
  AGENT_SPANS,
  ANNOTATION_ITEMS,
  ANNOTATION_QUEUES,
  DATASET_SOURCES,
  FEEDBACK,
  FILES,
  OBJECT_ALIASES,
  OBJECT_TAGS,
  OBJECTS,
  PROJECTS,
  PRICES,
  TABLE_POSITIONS,
  TABLE_ROWS,
  TABLES,
  type RecordEventRow,
  type Table,
} from '@app/clickhouse';
import type { AnyRecordFact, Ordered } from '@app/events';
import { agentSpanRow } from '../agents/agent-span.projection.js';
import { addedItemRow, progressedItemRow, queueRow } from '../annotations/annotation.projection.js';
import { priceRow, purgedPriceRow } from '../costs/price.projection.js';
import { givenRow, purgedRow } from '../feedback/feedback.projection.js';
import { fileRow } from '../files/file.projection.js';
import { aliasRow, deletedRow, publishedRow, tagRow } from '../objects/object.projection.js';
import { projectRow } from '../projects/project.projection.js';
import { linkedRow, unlinkedRow } from '../provenance/dataset-source.projection.js';
import { positionRows, rowRows, tableRow } from '../tables/table.projection.js';

/** Rows for one table. */
export interface TableRows<Row = unknown> {
  readonly table: Table<Row>;
  readonly rows: readonly Row[];
}

const into = <Row>(table: Table<Row>, rows: readonly Row[]) => ({ table, rows }) as TableRows;

/** The rows of a fact. They depend on the fact alone, so facts may be stored in any order and repeatedly. */
export function recordRows(fact: Ordered<AnyRecordFact>): TableRows[] {
  switch (fact.type) {
    case 'ObjectPublished':
      return [into(OBJECTS, [publishedRow(fact)])];
    case 'ObjectDeleted':
      return [into(OBJECTS, [deletedRow(fact)])];
    case 'TagChanged':
      return [into(OBJECT_TAGS, [tagRow(fact)])];
    case 'AliasChanged':
      return [into(OBJECT_ALIASES, [aliasRow(fact)])];
    case 'RowsAdded':
      return [into(TABLE_ROWS, rowRows(fact))];
    case 'TableCreated':
      return [into(TABLE_POSITIONS, positionRows(fact)), into(TABLES, [tableRow(fact)])];
    case 'FileStored':
      return [into(FILES, [fileRow(fact)])];
    case 'RetentionSet':
      return [into(PROJECTS, [projectRow(fact)])];
    case 'FeedbackGiven':
      return [into(FEEDBACK, [givenRow(fact)])];
    case 'FeedbackPurged':
      return [into(FEEDBACK, [purgedRow(fact)])];
    case 'PriceSet':
      return [into(PRICES, [priceRow(fact)])];
    case 'PricePurged':
      return [into(PRICES, [purgedPriceRow(fact)])];
    case 'SpanRecorded':
      return [into(AGENT_SPANS, [agentSpanRow(fact)])];
    case 'AnnotationQueueCreated':
    case 'AnnotationQueueChanged':
    case 'AnnotationQueueDeleted':
      return [into(ANNOTATION_QUEUES, [queueRow(fact)])];
    case 'AnnotationItemAdded':
      return [into(ANNOTATION_ITEMS, [addedItemRow(fact)])];
    case 'AnnotationItemProgressed':
      return [into(ANNOTATION_ITEMS, [progressedItemRow(fact)])];
    case 'DatasetSourceLinked':
      return [into(DATASET_SOURCES, [linkedRow(fact)])];
    case 'DatasetSourceUnlinked':
      return [into(DATASET_SOURCES, [unlinkedRow(fact)])];
  }
}

/** Facts whose body is stored under its digest and never changes, so the log does not store it again. */
const CONTENT: ReadonlySet<AnyRecordFact['type']> = new Set([
  'RowsAdded',
  'TableCreated',
  'FileStored',
]);

export function eventRow(fact: Ordered<AnyRecordFact>): RecordEventRow {
  return {
    project_id: fact.projectId,
    type: fact.type,
    seq: fact.seq,
    version_index: fact.versionIndex,
    received_at: fact.receivedAt,
    user_id: fact.userId,
    chunk_id: fact.chunkId,
    chunk_index: fact.index,
    data: JSON.stringify(fact.data),
    body: CONTENT.has(fact.type) ? Buffer.alloc(0) : fact.body,
  };
}
