import { HeddleError } from '@app/errors';

/** A step into a value: an attribute or key of an object, an index in a list, a row of a table. */
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
      /** A digest, or an alias where aliases are allowed. */
      readonly digest: string;
    })
  | (RefBase & { readonly kind: 'table'; readonly digest: string })
  | (RefBase & { readonly kind: 'call'; readonly callId: string });

/** A malformed ref. The message states the problem. */
export class RefError extends HeddleError {
  readonly code = 'invalid_ref';
}

export const REF_SCHEME = 'weave:///';
const EDGES: readonly string[] = ['attr', 'key', 'index', 'id'] satisfies RefEdge['kind'][];

export function parseRef(text: string): Ref {
  if (!text.startsWith(REF_SCHEME)) throw refError(text, `it does not start with ${REF_SCHEME}`);
  const [entity, project, kind, target, ...rest] = text.slice(REF_SCHEME.length).split('/');
  if (!entity || !project || !kind || !target) throw refError(text, 'it has fewer than four parts');
  const common = { projectId: `${entity}/${project}`, extra: edges(text, rest) };
  if (kind === 'table') return { ...common, kind, digest: target };
  if (kind === 'call') return { ...common, kind, callId: target };
  if (kind !== 'object' && kind !== 'op')
    throw refError(text, `${kind} is not object, op, table or call`);
  const [name, digest, ...more] = target.split(':');
  if (!name || !digest || more.length > 0) throw refError(text, `${target} is not <name>:<digest>`);
  return { ...common, kind, name: decoded(text, name), digest: decoded(text, digest) };
}

/** The ref in a text; undefined when the text is not a ref. */
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
  if (parts.length % 2 !== 0)
    throw refError(ref, 'its path is not a sequence of <kind>/<value> pairs');
  const found: RefEdge[] = [];
  for (let i = 0; i < parts.length; i += 2) {
    const kind = parts[i]!;
    const value = decoded(ref, parts[i + 1]!);
    if (!EDGES.includes(kind)) throw refError(ref, `${kind} is not attr, key, index or id`);
    if (kind === 'index' && !/^-?\d+$/.test(value)) throw refError(ref, `${value} is not an index`);
    found.push({ kind: kind as RefEdge['kind'], value });
  }
  return found;
}

function decoded(ref: string, part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw refError(ref, 'its percent encoding is malformed');
  }
}

const refError = (ref: string, reason: string) =>
  new RefError(`${JSON.stringify(ref.slice(0, 200))} is not a valid ref: ${reason}.`);
