export { readInThread } from './body-thread.js';
export { encodingFor } from './compression.js';
export { fieldErrors } from './field-errors.js';
export { HealthModule } from './health.module.js';
export { noteIgnored } from './ignored-members.js';
export { JsonResponse, jsonLines, printResponse } from './json-responses.js';
export { openApiOf } from './openapi.js';
export {
  ApiRefusals,
  Operation,
  type OperationDoc,
  type QueryParameter,
} from './operation.decorator.js';
export { InvalidBodyError, ProblemError, problemOf, type FieldError } from './problems.js';
export { ApiProjectPath, PathProject, PROJECT_PATH } from './project-path.js';
export { countIn, textIn, textsIn, type QueryString } from './query-string.js';
export { queryProject } from './query-project.js';
export {
  parseJsonBody,
  RecordsBody,
  requireJsonBody,
  requireRecords,
  requireRecordsOf,
} from './request-body.pipe.js';
export { routesOf, type Route } from './routes.js';
export { createServer, serve } from './serve.js';
export { mapInSlices, Slices, timesInSlices } from './slices.js';
export { asBuffer } from './thread-messages.js';
export { UNSERVED, whyUnserved } from './unserved.js';
