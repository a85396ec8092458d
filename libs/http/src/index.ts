export { errorReference } from './error-reference.js';
export { fieldErrors } from './field-errors.js';
export { HealthModule } from './health.module.js';
export { parseJsonBody, requireJsonBody } from './json-body.js';
export {
  AsLines,
  JsonResponse,
  jsonLines,
  printResponse,
  type LineReply,
} from './json-responses.js';
export { openApiFile, openApiOf } from './openapi.js';
export { ApiRefusals, Operation, type OperationDoc } from './operation.decorator.js';
export {
  InvalidBodyError,
  ProblemError,
  problemOf,
  PROBLEMS,
  type FieldError,
} from './problems.js';
export { RecordsBody } from './request-body.pipe.js';
export { routesOf, type Route } from './routes.js';
export { createServer, serve, type ServeOptions, type Serving } from './serve.js';
