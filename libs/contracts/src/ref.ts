/** A step into a value: an attribute or key of an object, a place in a list, a row of a table. */
export interface RefEdge {
  readonly kind: 'attr' | 'key' | 'index' | 'id';
  readonly value: string;
}

interface RefBase {
  readonly projectId: string;
  readonly extra: readonly RefEdge[];
}

export type Ref =
  | (RefBase & {
      readonly kind: 'object' | 'op';
      readonly name: string;
      /** A digest, or an alias where that is allowed. */
      readonly digest: string;
    })
  | (RefBase & { readonly kind: 'table'; readonly digest: string })
  | (RefBase & { readonly kind: 'call'; readonly callId: string });

/** What is wrong with a ref. */
export class RefError extends Error {
  override readonly name = 'RefError';
}

export const REF_SCHEME = 'weave:///';
const EDGES: readonly string[] = ['attr', 'key', 'index', 'id'] satisfies RefEdge['kind'][];

export function parseRef(text: string): Ref {
  if (!text.startsWith(REF_SCHEME)) throw wrong(text, `it does not begin with ${REF_SCHEME}`);
  const [entity, project, kind, target, ...rest] = text.slice(REF_SCHEME.length).split('/');
  if (!entity || !project || !kind || !target) throw wrong(text, 'it is too short');
  const common = { projectId: `${entity}/${project}`, extra: edges(text, rest) };
  if (kind === 'table') return { ...common, kind, digest: target };
  if (kind === 'call') return { ...common, kind, callId: target };
  if (kind !== 'object' && kind !== 'op') throw wrong(text, `${kind} is no kind of ref`);
  const [name, digest, ...more] = target.split(':');
  if (!name || !digest || more.length > 0) throw wrong(text, `${target} is not <name>:<digest>`);
  return { ...common, kind, name: decoded(text, name), digest: decoded(text, digest) };
}

/** The ref, or undefined for text that is none. */
export function refIn(text: string): Ref | undefined {
  if (!text.startsWith(REF_SCHEME)) return undefined;
  try {
    return parseRef(text);
  } catch (error) {
    if (error instanceof RefError) return undefined;
    throw error;
  }
}

function edges(ref: string, parts: readonly string[]): RefEdge[] {
  if (parts.length % 2 !== 0) throw wrong(ref, 'its path is not made of pairs');
  const found: RefEdge[] = [];
  for (let i = 0; i < parts.length; i += 2) {
    const kind = parts[i]!;
    const value = decoded(ref, parts[i + 1]!);
    if (!EDGES.includes(kind)) throw wrong(ref, `${kind} is no kind of step`);
    if (kind === 'index' && !/^-?\d+$/.test(value)) throw wrong(ref, `${value} is no index`);
    found.push({ kind: kind as RefEdge['kind'], value });
  }
  return found;
}

function decoded(ref: string, part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw wrong(ref, 'its percent encoding is broken');
  }
}

const wrong = (ref: string, why: string) =>
  new RefError(`${JSON.stringify(ref.slice(0, 200))} is not a ref that can be read: ${why}.`);
