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
export {
  ChunkError,
  decodeChunk,
  encodeChunk,
  factSize,
  type FactChunk,
  type NewFact,
} from './fact-chunk.js';
