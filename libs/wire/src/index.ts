export { parseInstant, printInstant } from './instant.js';
export {
  elementSpans,
  endOfString,
  endOfValue,
  isArrayAt,
  isObjectAt,
  memberSpans,
  skipSpace,
  walkElements,
  walkMembers,
  type Span,
} from './json-spans.js';
export { JsonText } from './json-text.js';
