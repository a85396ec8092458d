export { HeddleError, type Place } from './heddle-error.js';
export { type ErrorCode, type InternalCode, type ProblemCode } from './error-code.js';
