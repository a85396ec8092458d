import type { EvalResultsRequest } from '@app/contracts';
import { valueDigest } from '@app/digests';
import { ProblemError } from '@app/http';
import { parsePath, parseQuery, type Expr } from '@app/query-language';
import { isScore, type TrialEntry } from './result-rows.js';
import type { StoredCall } from './stored-call.js';
import { matches, valueAt, type JsonValue } from './trial-filter.js';

const DATASET_ROW = /\/attr\/rows\/id\/([^/]+)$/;

/** The example of a trial. Trials of an SDK have the ref of a row of a dataset there. */
export interface Example {
  /** JSON text. */
  readonly json: string;
  readonly ref: string | undefined;
  readonly digest: string;
}

export function exampleOf(trial: StoredCall): Example {
  const json = trial.jsonAt('inputs', 'example') ?? 'null';
  const text = trial.text('inputs', 'example');
  const row = text === undefined ? undefined : DATASET_ROW.exec(text)?.[1];
  return row === undefined
    ? { json, ref: undefined, digest: valueDigest(json) }
    : { json, ref: text, digest: row };
}

/** Which fields of trials a request filters and sorts by. */
export class TrialFields {
  private readonly filters: readonly Expr[];
  private readonly sorts: readonly string[];
  /** Whether the rows of datasets are needed. */
  readonly useInputs: boolean;

  constructor({ filters, sort_by }: Pick<EvalResultsRequest, 'filters' | 'sort_by'>) {
    this.filters = (filters ?? []).map(({ query }) => parseQuery(query));
    this.sorts = (sort_by ?? []).map(({ field, mode }) => {
      requireField(field);
      if (mode === 'difference' && !isScore(field)) throw notAScore(field);
      return field;
    });
    const names = [...this.filters.flatMap(fieldsIn), ...this.sorts];
    names.forEach(requireField);
    this.useInputs = names.some((name) => name.startsWith('inputs'));
  }

  /** The entry of a trial. `example` is the JSON text of its example, read from its dataset if need be. */
  entry(trial: StoredCall, { digest }: Example, example: string): TrialEntry {
    const scores = trial.jsonAt('output', 'scores');
    const shown = scores?.startsWith('{') ? scores : '{}';
    const isNeeded = this.filters.length + this.sorts.length > 0;
    const read = isNeeded ? fieldReader(trial, digest, example, shown) : () => undefined;
    return {
      id: trial.id,
      evaluationId: trial.parentId ?? '',
      digest,
      scores: shown,
      matches: this.filters.map((expr) => matches(expr, read) === true),
      sortValues: this.sorts.map(read),
    };
  }
}

/** Every document is parsed once, and only when a field of it is read. */
function fieldReader(trial: StoredCall, digest: string, example: string, scores: string) {
  const documents = {
    scores: once(() => JSON.parse(scores) as JsonValue),
    inputs: once(() => JSON.parse(example) as JsonValue),
    output: once(() => JSON.parse(trial.jsonAt('output') ?? 'null') as JsonValue),
    outputs: once(() => JSON.parse(trial.jsonAt('output', 'output') ?? 'null') as JsonValue),
  };
  return (field: string): JsonValue => {
    if (field === 'row_digest') return digest;
    const [document, ...path] = parsePath(field, ['field']);
    return valueAt(documents[document as keyof typeof documents](), path);
  };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

function fieldsIn(expr: Expr): string[] {
  switch (expr.kind) {
    case 'all':
    case 'any':
      return expr.of.flatMap(fieldsIn);
    case 'not':
      return fieldsIn(expr.of);
    case 'compare':
      return [...fieldsIn(expr.left), ...fieldsIn(expr.right)];
    case 'in':
      return [...fieldsIn(expr.input), ...expr.list.flatMap(fieldsIn)];
    case 'contains':
      return [...fieldsIn(expr.input), ...fieldsIn(expr.substr)];
    case 'convert':
    case 'size':
      return fieldsIn(expr.input);
    case 'field':
      return [expr.path];
    case 'literal':
      return [];
  }
}

function requireField(field: string): void {
  if (field === 'row_digest' || /^(scores|inputs|outputs?)\../.test(field)) return;
  const shown = JSON.stringify(field.slice(0, 60));
  throw new ProblemError(
    'invalid_request',
    `${shown} is not a field of results; use scores.<name>, inputs.<path>, output.<path>, outputs.<path> or row_digest.`,
  );
}

const notAScore = (field: string) =>
  new ProblemError(
    'invalid_request',
    `The mode "difference" needs numbers: sort by scores.<name>, not by ${JSON.stringify(field.slice(0, 60))}.`,
  );
