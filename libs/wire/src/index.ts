export { decimalText } from './decimal.js';
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
export { withMember, withoutMembers } from './json-members.js';
export { textAtPath } from './json-path.js';
export { JsonText } from './json-text.js';
