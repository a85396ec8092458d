export {
  CallReadRequest,
  CallReadResponse,
  CallSchema,
  CallsFilter,
  CallsQueryStatsRequest,
  CallsQueryStatsResponse,
} from './call-reads.dto.js';
export { CallCompleteRecord, CallEndRecord, CallStartRecord } from './call-records.dto.js';
export {
  CallEndRequest,
  CallsCompleteRequest,
  CallsDeleteRequest,
  CallsDeleteResponse,
  CallStartRequest,
  CallStartResponse,
  CallUpdateRequest,
  CallUpsertBatchRequest,
  CallUpsertBatchResponse,
  EmptyResponse,
} from './call-writes.dto.js';
export { compileCheck, type Check } from './compiled-check.js';
export { GraphqlRequest, GraphqlResponse } from './graphql.dto.js';
export { FieldProblem, InvalidBody, ProblemBody } from './problem-body.dto.js';
export { PROJECT_ID } from './project-id.js';
