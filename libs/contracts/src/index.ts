export {
  AnnotationItemsAddRequest,
  AnnotationItemsAddResponse,
  AnnotationItemsQueryRequest,
  AnnotationItemsQueryResponse,
  AnnotationProgressRequest,
  AnnotationProgressResponse,
  AnnotationQueueCreateRequest,
  AnnotationQueueCreateResponse,
  AnnotationQueueResponse,
  AnnotationQueueSchema,
  AnnotationQueuesQueryRequest,
  AnnotationQueuesStatsRequest,
  AnnotationQueuesStatsResponse,
  AnnotationQueueUpdateRequest,
} from './annotation-queue.dto.js';
export { itemRecord, queueRecord } from './annotation-records.js';
export {
  CallReadRequest,
  CallReadResponse,
  CallSchema,
  CallsExportRequest,
  CallsFilter,
  CallsQueryRequest,
  CallsQueryResponse,
  CallsQueryStatsRequest,
  CallsQueryStatsResponse,
} from './call-reads.dto.js';
export {
  CallPayloadRequest,
  CallPreview,
  CallsFacetsRequest,
  CallsFacetsResponse,
  CallsHistogramRequest,
  CallsHistogramResponse,
  CallsPreviewRequest,
  CallsTailEvent,
  CallsTailRequest,
  Facet,
  PayloadHit,
  type PayloadMember,
} from './call-overview.dto.js';
export { TraceTreeBlock, TraceTreeRequest } from './trace-tree.dto.js';
export { CallCompleteRecord, CallEndRecord, CallStartRecord } from './call-records.dto.js';
export {
  CallEndRequest,
  CallBatchEndMode,
  CallBatchStartMode,
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
export {
  CostCreateEnvelope,
  CostCreateRecord,
  CostCreateRequest,
  CostCreateResponse,
  CostQueryRequest,
  CostQueryResponse,
  RepricingRequest,
  RepricingResponse,
  WhatIfRequest,
  WhatIfResponse,
  type WhatIfPrice,
} from './cost.dto.js';
export {
  DEAD_LETTERS_PER_REQUEST,
  DeadLetterCheckRequest,
  DeadLetterCheckResponse,
  DeadLetterEdit,
  DeadLetterFindRequest,
  DeadLetterFindResponse,
  DeadLetterOutcome,
  DeadLetterPartRequest,
  DeadLetterReadRequest,
  DeadLetterReadResponse,
  DeadLetterRecord,
  DeadLettersDropRequest,
  DeadLettersDropResponse,
  DeadLettersQueryRequest,
  DeadLettersQueryResponse,
  DeadLettersReplayRequest,
  DeadLettersReplayResponse,
} from './dead-letter.dto.js';
export {
  ErasureCreateRequest,
  ErasureRecord,
  ErasuresQueryRequest,
  ErasuresQueryResponse,
} from './erasure.dto.js';
export {
  AuditVerifyRequest,
  AuditVerifyResponse,
  DiskRecord,
  HealthResponse,
  LaneRecord,
  LedgerEquationRecord,
  LedgerProjectRecord,
  LedgerRequest,
  LedgerResponse,
  MaintenanceJobRecord,
  QueueMemoryRecord,
  RatesRecord,
  RetentionPreviewRequest,
  RetentionPreviewResponse,
  ServerHealthRecord,
  WorkerRecord,
} from './operations.dto.js';
export { EvalResultsRequest, EvalResultsResponse, EvalResultsSort } from './eval-results.dto.js';
export {
  EvaluationDeleteResponse,
  EvaluationRunCreateRecord,
  EvaluationRunCreateResponse,
  EvaluationRunFinishRecord,
  EvaluationRunSchema,
  FinishResponse,
  GenaiSpanRef,
  PredictionCreateRecord,
  PredictionCreateResponse,
  PredictionSchema,
  ScoreCreateRecord,
  ScoreCreateResponse,
  ScoreSchema,
} from './evaluation.dto.js';
export {
  DatasetSource,
  DatasetSourcesLinkRequest,
  DatasetSourcesLinkResponse,
  DatasetSourcesQueryRequest,
  DatasetSourcesQueryResponse,
  DatasetSourcesUnlinkRequest,
  DatasetSourcesUnlinkResponse,
  SourceDatasetsQueryRequest,
  SourceDatasetsQueryResponse,
  SourceMembership,
} from './dataset-source.dto.js';
export { FeedbackQueryResponse, RecordsQueryRequest } from './feedback-reads.dto.js';
export {
  FeedbackBatchRequest,
  FeedbackBatchResponse,
  FeedbackCreateRecord,
  FeedbackReplaceRecord,
  FeedbackResponse,
  PurgeRequest,
} from './feedback-writes.dto.js';
export { RuntimeApplyRequest, RuntimeApplyResponse } from './runtime.dto.js';
export { compileCheck } from './compiled-check.js';
export { GraphqlRequest, GraphqlResponse } from './graphql.dto.js';
export { InvalidBody, ProblemBody } from './problem-body.dto.js';
export {
  FileContentRequest,
  FileCreateForm,
  FileCreateResponse,
  FilesStatsRequest,
  FilesStatsResponse,
} from './file.dto.js';
export {
  AliasesListResponse,
  ObjectReadRequest,
  ObjectReadResponse,
  ObjectsFilter,
  ObjectsQueryRequest,
  ObjectsQueryResponse,
  TagsListResponse,
} from './object-reads.dto.js';
export {
  DatasetCreateRecord,
  DatasetSchema,
  EvaluationCreateRecord,
  EvaluationCreateResponse,
  EvaluationSchema,
  ModelCreateRecord,
  ModelCreateResponse,
  ModelSchema,
  OpCreateRecord,
  OpSchema,
  ScorerCreateRecord,
  ScorerCreateResponse,
  ScorerSchema,
  VersionCreateResponse,
  VersionsDeleteResponse,
} from './object-views.dto.js';
export { chooseVersion, isAlias, type SelectableVersion } from './object-selector.js';
export { SortField, type Direction } from './object-sort.dto.js';
export {
  AliasesRemoveRequest,
  AliasesSetRequest,
  ObjectCreateRecord,
  ObjectCreateRequest,
  ObjectCreateResponse,
  ObjectDeleteRequest,
  ObjectDeleteResponse,
  ProjectInfo,
  ProjectsInfoRequest,
  TagsRequest,
} from './object-writes.dto.js';
export { OtlpTraceRequest, OtlpTraceResponse } from './otlp.dto.js';
export { parseRef, REF_SCHEME, RefError, refIn, type Ref, type RefEdge } from './ref.js';
export { RefsReadRequest, RefsReadResponse } from './refs.dto.js';
export {
  TableCreateRecord,
  TableCreateRequest,
  TableCreateResponse,
  TableFromDigestsRecord,
  TableFromDigestsRequest,
  TableFromDigestsResponse,
  TableQueryRequest,
  TableQueryResponse,
  TableRowSchema,
  TablesStatsRequest,
  TablesStatsResponse,
  TableStats,
  TableStatsRequest,
  TableStatsResponse,
  TableUpdateRecord,
  TableUpdateResponse,
} from './table.dto.js';
export {
  AlertCreateRequest,
  AlertHistoryResponse,
  AlertRecord,
  AlertRequest,
  AlertsQueryRequest,
  AlertsQueryResponse,
  AlertTestResponse,
  AlertUpdateRequest,
  NewAlertResponse,
  type AlertEventRecord,
} from './alert.dto.js';
export { AuditQueryRequest, AuditQueryResponse, AuditRecord } from './audit.dto.js';
export {
  ProjectsQueryRequest,
  ProjectsQueryResponse,
  RetentionReadRequest,
  RetentionResponse,
  RetentionUpdateRequest,
} from './project.dto.js';
export {
  KEY_SCOPE,
  KEY_USER,
  KeyCreateRequest,
  KeyRecord,
  KeyRevokeRequest,
  KeyRotateRequest,
  KeysListRequest,
  KeysListResponse,
  NewKeyResponse,
  isAddressRange,
} from './key.dto.js';
export { LoginMethodsResponse, SessionCreateRequest, SessionResponse } from './session.dto.js';
export { PAYLOAD_DEPTH_MAX, PROJECT_ID, TOO_DEEP } from './fields.js';
export { OBJECT_NAME } from './object-fields.js';
export {
  CallsStatsRequest,
  CallsStatsResponse,
  CallsUsageRequest,
  CostsReportRequest,
  CostsReportResponse,
  MetricRequest,
  TraceUsageRequest,
  UsageResponse,
  type ReportFormat,
} from './usage.dto.js';
export {
  ProjectStatsRequest,
  ProjectStatsResponse,
  ThreadSchema,
  ThreadsQueryRequest,
} from './thread.dto.js';
export {
  FeedbackAggregateRequest,
  FeedbackAggregateResponse,
  FeedbackMetric,
  FeedbackSchemaRequest,
  FeedbackSchemaResponse,
  FeedbackStatsRequest,
  FeedbackStatsResponse,
  PayloadPath,
} from './feedback-stats.dto.js';
export {
  AgentConversationChatRequest,
  AgentConversationChatResponse,
  AgentConversationSpansRequest,
  AgentConversationSpansResponse,
  AgentSearchRequest,
  AgentSearchResponse,
  AgentSpansQueryRequest,
  AgentSpansQueryResponse,
  AgentSpanStatsRequest,
  AgentSpanStatsResponse,
  AgentsQueryRequest,
  AgentsQueryResponse,
  AgentTraceChatRequest,
  AgentTraceChatResponse,
  AgentVersionsRequest,
  AgentVersionsResponse,
  SpanAttributesRequest,
  SpanAttributesResponse,
  type SpanMetric,
} from './agent.dto.js';
export type {
  SpanBuckets,
  SpanDistribution,
  SpanGroupFilter,
  SpanGroupRef,
  SpanMeasure,
} from './agent-groups.dto.js';
