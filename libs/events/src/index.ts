export {
  OTHER_USER,
  type CallFact,
  type CallFactKind,
  type Fact,
  type RejectedFact,
} from './call.events.js';
export { DecodedFact, itemOf } from './decoded-fact.js';
export { distinct, factId, setId } from './fact-id.js';
export {
  readCallItem,
  readCallItemAt,
  withMembers,
  type CallItem,
  type PayloadField,
} from './call-item.js';
export {
  decodeChunk,
  encodeChunk,
  factSize,
  startOfNewMonths,
  type NewFact,
} from './fact-chunk.js';
export { type AgentMessage, type AgentSpanBody, type SpanRecorded } from './agent.events.js';
export { type PriceKey, type PricePurged, type PriceSet } from './cost.events.js';
export {
  type FeedbackGiven,
  type FeedbackPurged,
  type ScorerValues,
  type SpanValues,
} from './feedback.events.js';
export { type FileStored } from './file.events.js';
export {
  type AliasChanged,
  type ObjectDeleted,
  type ObjectKind,
  type ObjectPublished,
  type TagChanged,
} from './object.events.js';
export {
  type AnnotationItemAdded,
  type AnnotationItemProgressed,
  type AnnotationQueueChanged,
  type AnnotationQueueCreated,
  type AnnotationQueueDeleted,
  type ProgressState,
} from './annotation.events.js';
export { decodeRecords, encodeRecords, readOrders, type AnyRecordFact } from './record-chunk.js';
export { type Order, type Ordered, type RecordFact } from './record-fact.js';
export {
  decodeDigestList,
  decodeRowList,
  encodeDigestList,
  encodeRowList,
  type RowsAdded,
  type TableCreated,
  type TableRow,
} from './table.events.js';
export { type DatasetSourceLinked, type DatasetSourceUnlinked } from './provenance.events.js';
export { type RetentionSet } from './project.events.js';
