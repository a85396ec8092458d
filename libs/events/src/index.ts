export {
  byReceipt,
  CALL_FACT_KINDS,
  factId,
  type CallFact,
  type CallFactKind,
  type Fact,
  type RejectedFact,
} from './call.events.js';
export {
  itemOf,
  PAYLOAD_FIELDS,
  readCallItem,
  readCallItemAt,
  withMembers,
  type CallItem,
  type PayloadField,
} from './call-item.js';
export { decodeChunk, encodeChunk, factSize, type NewFact } from './fact-chunk.js';
export {
  type CostFact,
  type PriceFigures,
  type PriceKey,
  type PricePurged,
  type PriceSet,
} from './cost.events.js';
export {
  type FeedbackFact,
  type FeedbackGiven,
  type FeedbackPurged,
  type GivenFeedback,
  type ScorerValues,
  type SpanValues,
} from './feedback.events.js';
export { type FileStored } from './file.events.js';
export {
  type AliasChanged,
  type ObjectDeleted,
  type ObjectFact,
  type ObjectKind,
  type ObjectPublished,
  type PublishedVersion,
  type TagChanged,
} from './object.events.js';
export { startOfNewMonths } from './old-months.js';
export { decodeRecords, encodeRecords, readOrders, type AnyRecordFact } from './record-chunk.js';
export { type Order, type Ordered, type RecordFact } from './record-fact.js';
export {
  decodeDigestList,
  decodeRowList,
  encodeDigestList,
  encodeRowList,
  type RowsAdded,
  type TableCreated,
  type TableFact,
  type TableRow,
} from './table.events.js';
export { type RetentionSet } from './project.events.js';
