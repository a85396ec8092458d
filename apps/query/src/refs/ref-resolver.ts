import { Injectable } from '@nestjs/common';
import { refIn, type Ref, type RefEdge } from '@app/contracts';
import { ProblemError } from '@app/http';
import { elementSpans, memberSpans } from '@app/wire';
import type { ReadContext } from '../read-context.js';
import { groupBy } from './group-by.js';
import { RefsReader, type FoundValue } from './refs.reader.js';

/** Refs that lead through each other for longer than this lead in a circle. */
const ROUNDS_MAX = 32;

type ObjectRef = Extract<Ref, { kind: 'object' | 'op' }>;

/** One ref on its way: where its value goes, and what is still to be read for it. */
interface Journey {
  readonly place: number;
  readonly ref: Ref;
  readonly rest: readonly RefEdge[];
}

/**
 * Reads what refs lead to, all of them together: one round of questions per level of nesting, never one per ref. Whoever
 * asks has already checked that the projects of the refs may be read; a way into another project ends in null.
 */
@Injectable()
export class RefResolver {
  constructor(private readonly refs: RefsReader) {}

  /** JSON texts in the order of the refs; null where a path leads nowhere. Throws a Problem for what is unknown. */
  resolve(refs: readonly Ref[], context: ReadContext): Promise<(Buffer | null)[]> {
    return this.travel(refs, true, context);
  }

  /** The same for those who only look, such as `expand_columns`: what is unknown is null too. */
  resolveKnown(refs: readonly Ref[], context: ReadContext): Promise<(Buffer | null)[]> {
    return this.travel(refs, false, context);
  }

  private async travel(
    refs: readonly Ref[],
    isStrict: boolean,
    context: ReadContext,
  ): Promise<(Buffer | null)[]> {
    const values = new Array<Buffer | null>(refs.length).fill(null);
    let journeys: Journey[] = refs.map((ref, place) => ({ place, ref, rest: ref.extra }));
    for (let round = 0; journeys.length > 0 && round < ROUNDS_MAX; round++) {
      const next: Journey[] = [];
      for (const [projectId, some] of groupBy(journeys, ({ ref }) => ref.projectId)) {
        const found = await this.read(projectId, some, isStrict, context);
        for (const [i, journey] of some.entries()) {
          const onward = arrive(journey, found[i], values);
          if (onward) next.push(onward);
        }
      }
      journeys = next;
    }
    return values;
  }

  /** What each journey stands on: an object's value, or a row of a table. */
  private async read(
    projectId: string,
    journeys: readonly Journey[],
    isStrict: boolean,
    context: ReadContext,
  ): Promise<FoundValue[]> {
    const objects = journeys.filter((one) => isObject(one.ref));
    const rowOf = (one: Journey) => (isStrict ? rowDigest(one) : rowDigestIn(one));
    const rowsOf = journeys
      .filter(({ ref }) => ref.kind === 'table')
      .map(rowOf)
      .filter((digest) => digest !== undefined);
    const [values, rows] = await Promise.all([
      objects.length === 0
        ? []
        : this.refs.objects(
            projectId,
            objects.map(({ ref }) => ref as ObjectRef),
            context,
          ),
      rowsOf.length === 0 ? new Map<string, Buffer>() : this.refs.rows(projectId, rowsOf, context),
    ]);
    const byObject = new Map(objects.map((journey, i) => [journey, values[i]]));
    const found = journeys.map((one) =>
      one.ref.kind === 'table' ? rows.get(rowOf(one) ?? '') : byObject.get(one),
    );
    if (isStrict) requireAll(journeys, found);
    return found;
  }
}

const isObject = (ref: Ref): ref is ObjectRef => ref.kind === 'object' || ref.kind === 'op';

function rowDigestIn({ rest: [edge] }: Journey): string | undefined {
  return edge?.kind === 'id' ? edge.value : undefined;
}

/** A table is no value by itself; a step to one of its rows has to follow. */
function rowDigest(journey: Journey): string {
  const digest = rowDigestIn(journey);
  if (digest !== undefined) return digest;
  const [edge] = journey.rest;
  const step = edge === undefined ? 'nothing' : `${edge.kind}/${edge.value.slice(0, 60)}`;
  throw new ProblemError(
    'invalid_ref',
    `A ref to a table needs id/<row digest> behind it, not ${step}.`,
  );
}

function arrive(
  { place, ref, rest }: Journey,
  found: FoundValue,
  values: (Buffer | null)[],
): Journey | undefined {
  if (!Buffer.isBuffer(found)) return undefined;
  const walked = walk(found, ref.kind === 'table' ? rest.slice(1) : rest);
  if ('value' in walked) {
    values[place] = walked.value;
    return undefined;
  }
  const { through } = walked;
  const isNearby = through.projectId === ref.projectId && through.kind !== 'call';
  return isNearby ? { place, ref: through, rest: [...through.extra, ...walked.rest] } : undefined;
}

function requireAll(journeys: readonly Journey[], found: readonly FoundValue[]): void {
  const missing = journeys.filter((_, i) => found[i] === undefined);
  const [first] = missing;
  if (first === undefined) return;
  const digests = missing.map((one) =>
    isObject(one.ref) ? `${one.ref.name}:${one.ref.digest}` : rowDigest(one),
  );
  const shown = digests.slice(0, 10).join(', ');
  throw isObject(first.ref)
    ? new ProblemError('object_not_found', `There is no ${shown}.`, { missing: digests })
    : new ProblemError('row_not_found', `There is no row ${shown}.`, { missing: digests });
}

/** Where a path into a value leads: to JSON text, to nothing, or through another ref. */
type Walked =
  { readonly value: Buffer | null } | { readonly through: Ref; readonly rest: readonly RefEdge[] };

/** Goes along the edges. A value that is itself a ref is followed only if there is still a way to go. */
function walk(json: Buffer, edges: readonly RefEdge[]): Walked {
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
