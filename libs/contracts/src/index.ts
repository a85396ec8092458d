export {
  CallReadRequest,
  CallReadResponse,
  CallSchema,
  CallsFilter,
  CallsQueryRequest,
  CallsQueryResponse,
  CallsQueryStatsRequest,
  CallsQueryStatsResponse,
  SortBy,
} from './call-reads.dto.js';
export { CallEndRecord, CallStartRecord } from './call-records.dto.js';
export {
  CallEndRequest,
  CallStartRequest,
  CallStartResponse,
  CallUpsertBatchRequest,
  CallUpsertBatchResponse,
  EmptyResponse,
} from './call-writes.dto.js';
export { FieldProblem, InvalidBody, ProblemBody } from './problem-body.dto.js';
export { PROJECT_ID } from './project-id.js';
