export { HeddleError, type Place } from './heddle-error.js';
export { type ErrorCode, type ProblemCode } from './error-code.js';
export { messageOf } from './error-message.js';
