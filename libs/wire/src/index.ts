export { decimalText, roundedDecimal } from './decimal.js';
export {
  micros,
  microsOf,
  millis,
  millisOf,
  nowMillis,
  parseTimestamp,
  printTimestamp,
  type Micros,
  type Millis,
} from './timestamp.js';
export {
  elementSpans,
  endOfString,
  endOfValue,
  extentOfValue,
  isArrayAt,
  isObjectAt,
  JsonText,
  keyText,
  memberSpans,
  walkElements,
  walkMembers,
  type Extent,
  type Span,
} from './json-spans.js';
export { jsonShape, skipSpace, type ShapeObserver } from './json-shape.js';
export { mayHaveMember, withMember, withMemberBytes, withoutMembers } from './json-members.js';
export { pathHash } from './path-hash.js';
export { textAtPath } from './json-path.js';
