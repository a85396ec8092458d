export { fieldErrors } from './field-errors.js';
export { HealthModule } from './health.module.js';
export { JsonResponse, jsonLines, printResponse } from './json-responses.js';
export { openApiOf } from './openapi.js';
export { ApiRefusals, Operation } from './operation.decorator.js';
export { InvalidBodyError, ProblemError, problemOf, type FieldError } from './problems.js';
export { parseJsonBody, RecordsBody, requireJsonBody } from './request-body.pipe.js';
export { routesOf, type Route } from './routes.js';
export { createServer, serve } from './serve.js';
