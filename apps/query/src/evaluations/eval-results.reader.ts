import { Injectable } from '@nestjs/common';
import type { EvalResultsRequest } from '@app/contracts';
import { InvalidBodyError, ProblemError, Slices } from '@app/http';
import type { ReadContext } from '../read-context.js';
import { DatasetRows } from './dataset-rows.js';
import { withTexts } from './evaluation-views.js';
import { ResultSummaryReader } from './result-summary.reader.js';
import {
  groupedRows,
  intersection,
  matchingRows,
  sortedRows,
  type ResultRow,
  type TrialEntry,
} from './result-rows.js';
import { exampleOf, TrialFields } from './trial-fields.js';
import { shownTrial } from './trial-result.js';
import {
  CHILD_COLUMNS,
  inParts,
  TRIALS_AT_ONCE,
  TrialsReader,
  type Trial,
} from './trials.reader.js';

/** A trial has about a kilobyte in memory until the response is sent. */
const TRIALS_MAX = 100_000;
/** Trials whose rows are sent together: their payloads are in memory until then. */
const TRIALS_OF_ROWS = 50;

const UNRESOLVED = 'Some rows could not be read from their dataset; raw_data_row has their ref.';

/** What the rows of a response need. */
interface RowsQuery {
  readonly projectId: string;
  readonly request: EvalResultsRequest;
  readonly context: ReadContext;
  /** Filled while the rows are read. */
  readonly warnings: Set<string>;
}

/** Rows of evaluations: the trials of the same example, side by side. */
@Injectable()
export class EvalResultsReader {
  constructor(
    private readonly trials: TrialsReader,
    private readonly datasets: DatasetRows,
    private readonly summaries: ResultSummaryReader,
  ) {}

  /** The response as JSON text in pieces. The payloads of a few rows are in memory at a time. */
  async *pieces(
    projectId: string,
    request: EvalResultsRequest,
    context: ReadContext,
  ): AsyncGenerator<string, void> {
    const runIds = runIdsIn(request);
    const entries = await this.entries(projectId, runIds, new TrialFields(request), context);
    const found = matchingRows(groupedRows(entries), request);
    const rows = request.include_rows === false ? [] : selectedRows(found, runIds, request);
    const summary = request.include_summary
      ? await this.summaries.read(
          projectId,
          runIds,
          summarized(found, runIds, request),
          request,
          context,
        )
      : undefined;
    const query = { projectId, request, context, warnings: new Set(summary?.warnings) };
    yield '{"rows":[';
    yield* this.shownRows(pageOf(rows, request), query);
    const end = { total_rows: rows.length, warnings: [...query.warnings] };
    yield `],${withTexts(end, { summary: summary?.json ?? 'null' }).slice(1)}`;
  }

  private async entries(
    projectId: string,
    runIds: readonly string[],
    fields: TrialFields,
    context: ReadContext,
  ): Promise<TrialEntry[]> {
    const entries: TrialEntry[] = [];
    const slices = new Slices();
    const calls = this.trials.ofRuns(projectId, runIds, context);
    for await (const part of inParts(calls)) {
      const examples = part.map(exampleOf);
      const texts = fields.useInputs
        ? await this.datasets.texts(projectId, examples, context)
        : examples.map(({ json }) => json);
      slices.resume();
      for (const [i, trial] of part.entries()) {
        await slices.next();
        entries.push(fields.entry(trial, examples[i]!, texts[i] ?? examples[i]!.json));
      }
      if (entries.length > TRIALS_MAX) throw tooManyTrials();
    }
    return entries;
  }

  private async *shownRows(
    rows: readonly ResultRow[],
    query: RowsQuery,
  ): AsyncGenerator<string, void> {
    let separator = '';
    for (const part of rowsInParts(rows)) {
      const trials = await this.trialsOf(part, query);
      const raw = await this.rawRows(part, trials, query);
      const texts = part.map((row, i) => shownRow(row, raw[i]!, trials, query.request));
      yield `${separator}${texts.join(',')}`;
      separator = ',';
    }
  }

  /** The trials of rows, by id. */
  private async trialsOf(
    rows: readonly ResultRow[],
    { projectId, request, context }: RowsQuery,
  ): Promise<ReadonlyMap<string, Trial>> {
    const ids = rows.flatMap(({ evaluations }) =>
      [...evaluations.values()].flat().map(({ id }) => id),
    );
    const found = new Map<string, Trial>();
    for (let from = 0; from < ids.length; from += TRIALS_AT_ONCE) {
      const filter = { call_ids: ids.slice(from, from + TRIALS_AT_ONCE) };
      const calls = this.trials.stored({ project_id: projectId, filter }, context);
      for await (const part of inParts(calls)) {
        const trials =
          request.include_predict_and_score_children === false
            ? part.map((call) => ({ call, prediction: undefined, scores: [] }))
            : await this.trials.withChildren(projectId, part, context, {
                include_costs: request.include_costs ?? false,
                columns: CHILD_COLUMNS,
              });
        for (const trial of trials) found.set(trial.call.id, trial);
      }
    }
    return found;
  }

  /** JSON texts, one per row. */
  private async rawRows(
    rows: readonly ResultRow[],
    trials: ReadonlyMap<string, Trial>,
    { projectId, request, context, warnings }: RowsQuery,
  ): Promise<string[]> {
    if (!request.include_raw_data_rows) return rows.map(() => 'null');
    const examples = rows.map(({ evaluations }) => {
      const [first] = [...evaluations.values()].flat();
      const trial = trials.get(first!.id);
      return trial ? exampleOf(trial.call) : { json: 'null', ref: undefined, digest: '' };
    });
    if (!request.resolve_row_refs) return examples.map(({ json }) => json);
    const texts = await this.datasets.texts(projectId, examples, context);
    if (texts.includes(undefined)) warnings.add(UNRESOLVED);
    return texts.map((text, i) => text ?? examples[i]!.json);
  }
}

function runIdsIn({ evaluation_call_ids, evaluation_run_ids }: EvalResultsRequest): string[] {
  const ids = [...new Set([...(evaluation_call_ids ?? []), ...(evaluation_run_ids ?? [])])];
  if (ids.length > 0) return ids;
  const loc = ['body', 'evaluation_call_ids'];
  throw new InvalidBodyError([{ loc, msg: 'Field required', type: 'missing' }]);
}

const selectedRows = (
  rows: readonly ResultRow[],
  runIds: readonly string[],
  { require_intersection, sort_by }: EvalResultsRequest,
): ResultRow[] => sortedRows(require_intersection ? intersection(rows, runIds) : rows, sort_by);

function summarized(
  rows: readonly ResultRow[],
  runIds: readonly string[],
  { summary_require_intersection, require_intersection }: EvalResultsRequest,
): readonly ResultRow[] {
  return (summary_require_intersection ?? require_intersection) ? intersection(rows, runIds) : rows;
}

function pageOf(rows: readonly ResultRow[], { offset, limit }: EvalResultsRequest): ResultRow[] {
  const from = offset ?? 0;
  return rows.slice(from, limit === null || limit === undefined ? undefined : from + limit);
}

/** At least one row at a time. */
function* rowsInParts(rows: readonly ResultRow[]): Generator<readonly ResultRow[]> {
  let part: ResultRow[] = [];
  let trials = 0;
  for (const row of rows) {
    part.push(row);
    trials += [...row.evaluations.values()].reduce((sum, { length }) => sum + length, 0);
    if (trials < TRIALS_OF_ROWS) continue;
    yield part;
    part = [];
    trials = 0;
  }
  if (part.length > 0) yield part;
}

/** A row whose trials were deleted meanwhile lacks them. */
function shownRow(
  { digest, evaluations }: ResultRow,
  raw: string,
  trials: ReadonlyMap<string, Trial>,
  request: EvalResultsRequest,
): string {
  const texts = [...evaluations].map(([id, entries]) => {
    const shown = entries.flatMap((entry) => {
      const trial = trials.get(entry.id);
      return trial ? [shownTrial(trial, request)] : [];
    });
    return withTexts({ evaluation_call_id: id }, { trials: `[${shown.join(',')}]` });
  });
  return withTexts(
    { row_digest: digest },
    { raw_data_row: raw, evaluations: `[${texts.join(',')}]` },
  );
}

const tooManyTrials = () =>
  new ProblemError(
    'query_too_large',
    `The evaluations have more than ${TRIALS_MAX} trials; name fewer of them.`,
  );
