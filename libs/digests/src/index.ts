export { canonicalJson, MAX_DEPTH, printFloat, TooDeepError } from './canonical-json.js';
export { contentDigest, DigestOfPieces, DigestOfRows, tableDigest, valueDigest } from './digest.js';
export { internalProjectId } from './internal-refs.js';
