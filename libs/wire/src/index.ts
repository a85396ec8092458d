export { parseInstant, printInstant } from './instant.js';
export { elementSpans, endOfString, memberSpans, type Span } from './json-spans.js';
export { JsonText } from './json-text.js';
