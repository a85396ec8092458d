import { queryOptions } from '@tanstack/react-query';
import { post, postLines } from '../api/client.js';
import type { ResultRow } from './comparison.js';

/** A run of an evaluation: a call of `Evaluation.evaluate`. */
export interface EvaluationRun {
  readonly id: string;
  readonly trace_id: string;
  readonly display_name: string | null;
  readonly started_at: string;
  readonly ended_at: string | null;
  readonly exception: string | null;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly output: unknown;
}

/** Runs on one page of the list. */
export const RUNS_PER_PAGE = 50;
const COLUMNS = ['display_name', 'inputs', 'output', 'exception', 'ended_at'];
const EVALUATE = 'Evaluation.evaluate';

interface RunsRequest {
  readonly limit: number;
  readonly offset?: number;
  /** Only runs of this evaluation: its ref, or its ref with any version (`:*`). */
  readonly evaluation?: string;
  readonly ids?: readonly string[];
}

/** The newest first. */
export const runsQuery = (projectId: string, request: RunsRequest) =>
  queryOptions({
    queryKey: ['evaluation runs', projectId, request],
    queryFn: async ({ signal }): Promise<readonly EvaluationRun[]> => {
      const { evaluation, ids, ...page } = request;
      const body = {
        project_id: projectId,
        filter: {
          op_names: [`weave:///${projectId}/op/${EVALUATE}:*`, EVALUATE],
          ...(ids && { call_ids: ids }),
        },
        ...(evaluation !== undefined && { query: { $expr: isOf(evaluation) } }),
        columns: COLUMNS,
        sort_by: [{ field: 'started_at', direction: 'desc' }],
        ...page,
      };
      const runs: EvaluationRun[] = [];
      for await (const run of postLines<EvaluationRun>('/calls/stream_query', body, signal))
        runs.push(run);
      return runs;
    },
    refetchInterval: ({ state }) =>
      state.data?.some(({ ended_at }) => ended_at === null) === true ? 5_000 : false,
  });

/** The SDKs name the evaluation differently. */
function isOf(evaluation: string): object {
  const fields = ['inputs.self', 'inputs.this'].map(($getField) => ({ $getField }));
  const $or = evaluation.endsWith(':*')
    ? fields.map((input) => ({
        $contains: { input, substr: { $literal: evaluation.slice(0, -1) } },
      }))
    : fields.map((field) => ({ $eq: [field, { $literal: evaluation }] }));
  return { $or };
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined);

export const evaluationOf = ({ inputs }: EvaluationRun): string =>
  textOf(inputs['self']) ?? textOf(inputs['this']) ?? '';
export const modelOf = ({ inputs }: EvaluationRun): string => textOf(inputs['model']) ?? '';

const REF = /^weave:\/\/\/[^/]+\/[^/]+\/(?:object|op)\/([^:/]+)(?::([^/]+))?/;

/** `name:digest`, with the first characters of the digest. */
export function refLabel(ref: string): string {
  const [, name, digest] = REF.exec(ref) ?? [];
  if (name === undefined) return ref;
  return digest === undefined || digest === '*' ? name : `${name}:${digest.slice(0, 6)}`;
}

export interface Results {
  readonly rows: readonly ResultRow[];
  readonly total_rows: number;
  readonly warnings: readonly string[];
}

/** Examples that are compared. A trial without its output has about half a kilobyte. */
export const EXAMPLES_MAX = 5_000;

const resultsPath = (projectId: string) => `/v2/${projectId}/eval_results/query`;

/** The scores of every example of the runs, without examples and outputs. */
export const scoresQuery = (projectId: string, runIds: readonly string[]) =>
  queryOptions({
    queryKey: ['evaluation scores', projectId, runIds],
    enabled: runIds.length > 0,
    queryFn: ({ signal }) =>
      post<Results>(
        resultsPath(projectId),
        {
          evaluation_call_ids: runIds,
          include_model_outputs: false,
          include_costs: true,
          limit: EXAMPLES_MAX,
        },
        signal,
      ),
  });

/** The examples and outputs of some rows. */
export const examplesQuery = (
  projectId: string,
  runIds: readonly string[],
  digests: readonly string[],
) =>
  queryOptions({
    queryKey: ['evaluation examples', projectId, runIds, digests],
    enabled: digests.length > 0,
    queryFn: ({ signal }) => {
      const literals = digests.map(($literal) => ({ $literal }));
      const $expr = { $in: [{ $getField: 'row_digest' }, literals] };
      return post<Results>(
        resultsPath(projectId),
        {
          evaluation_call_ids: runIds,
          filters: [{ query: { $expr } }],
          include_raw_data_rows: true,
          resolve_row_refs: true,
          include_predict_and_score_children: false,
          limit: digests.length,
        },
        signal,
      );
    },
  });
