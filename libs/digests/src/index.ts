export { TooDeepError } from './canonical-json.js';
export {
  contentDigest,
  ContentDigestBuilder,
  TableDigestBuilder,
  tableDigest,
  valueDigest,
} from './digest.js';
export { internalProjectId } from './internal-refs.js';
