import { refIn, type Ref, type RefEdge } from '@app/contracts';
import { elementSpans, memberSpans } from '@app/wire';

/** Where a path into a value leads: to JSON text, to nothing, or through another ref. */
export type Walked =
  { readonly value: Buffer | null } | { readonly through: Ref; readonly rest: readonly RefEdge[] };

/** Goes along the edges. A value that is itself a ref is followed only if there is still a way to go. */
export function walk(json: Buffer, edges: readonly RefEdge[]): Walked {
  let value = json;
  for (const [at, edge] of edges.entries()) {
    const through = refAt(value);
    if (through !== undefined) return { through, rest: edges.slice(at) };
    const next = step(value, edge);
    if (next === undefined) return { value: null };
    value = next;
  }
  return { value };
}

function step(json: Buffer, { kind, value }: RefEdge): Buffer | undefined {
  const span =
    kind === 'index'
      ? elementSpans(json)[Number(value)]
      : kind === 'id'
        ? undefined
        : memberSpans(json).get(value);
  return span && json.subarray(span.start, span.end);
}

const QUOTE = 0x22;

function refAt(json: Buffer): Ref | undefined {
  if (json[0] !== QUOTE) return undefined;
  return refIn(JSON.parse(json.toString('utf8')) as string);
}
