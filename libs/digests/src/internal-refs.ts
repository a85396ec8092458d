import { printJson } from './canonical-json.js';

const EXTERNAL = 'weave:///';
const INTERNAL = 'weave-trace-internal:///';

/** Strings may contain JSON whose strings contain JSON again. Clients stop at this level. */
const MAX_JSON_IN_JSON = 8;

/**
 * The id that stands for a project in digests. It depends on the project's name only, so that clients can compute the
 * same digests without a request.
 */
export function internalProjectId(projectId: string): string {
  return Buffer.from(projectId).toString('base64url');
}

/**
 * The text with external refs replaced by internal ones: the whole string when it is a ref, or the refs in a string that
 * contains JSON. Only the digest is computed from this form; values are stored as they were sent.
 */
export function internalRefs(text: string, depth: number): string {
  return rewrite(text, depth, 0);
}

function rewrite(text: string, depth: number, level: number): string {
  if (text.startsWith(EXTERNAL)) return internalRef(text);
  if (text.startsWith(INTERNAL) || level >= MAX_JSON_IN_JSON) return text;
  if (!text.includes(EXTERNAL) || !isJson(text)) return text;
  let isChanged = false;
  const replace = (inner: string, innerDepth: number) => {
    const replaced = rewrite(inner, innerDepth, level + 1);
    isChanged ||= replaced !== inner;
    return replaced;
  };
  const printed = printJson(text, { sortKeys: false, replace, depth });
  return isChanged ? printed : text;
}

function internalRef(ref: string): string {
  const [entity, project, ...path] = ref.slice(EXTERNAL.length).split('/');
  if (project === undefined || path.length === 0) return ref;
  return `${INTERNAL}${internalProjectId(`${entity}/${project}`)}/${path.join('/')}`;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
