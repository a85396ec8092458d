import { printJson } from './canonical-json.js';

const EXTERNAL = 'weave:///';
const INTERNAL = 'weave-trace-internal:///';

/** A string may hold JSON whose strings hold JSON; clients look no deeper than this. */
const MAX_JSON_IN_JSON = 8;

/**
 * The id a project has inside digests. A pure function of its name, so that a client who asks for it computes the same
 * digests as we do, before or without us.
 */
export function internalProjectId(projectId: string): string {
  return Buffer.from(projectId).toString('base64url');
}

/**
 * The text with its refs as they count in a digest: a whole string that is a ref, or refs in a string that holds JSON.
 * Values are stored as they were sent; only the digest sees this form.
 */
export function internalRefs(text: string, depth: number): string {
  return rewritten(text, depth, 0);
}

function rewritten(text: string, depth: number, level: number): string {
  if (text.startsWith(EXTERNAL)) return internalRef(text);
  if (text.startsWith(INTERNAL) || level >= MAX_JSON_IN_JSON) return text;
  if (!text.includes(EXTERNAL) || !isJson(text)) return text;
  let isChanged = false;
  const replace = (inner: string, innerDepth: number) => {
    const after = rewritten(inner, innerDepth, level + 1);
    isChanged ||= after !== inner;
    return after;
  };
  const printed = printJson(text, { sortKeys: false, replace, depth });
  return isChanged ? printed : text;
}

function internalRef(ref: string): string {
  const [entity, project, ...rest] = ref.slice(EXTERNAL.length).split('/');
  if (project === undefined || rest.length === 0) return ref;
  return `${INTERNAL}${internalProjectId(`${entity}/${project}`)}/${rest.join('/')}`;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
