import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { post } from '../api/client.js';
import css from '../ui/board.module.css';
import { evaluationOf, modelOf, refLabel, type EvaluationRun } from './evaluations-api.js';
import { LeaderboardTable, type BoardColumn } from './leaderboard-table.js';
import { commonPaths, summaryOf } from './run-metrics.js';

const COLUMNS_MAX = 12;
const BOARDS_MAX = 100;

interface BoardsProps {
  readonly projectId: string;
  readonly runs: readonly EvaluationRun[];
  /** The ref of the evaluation whose models are compared. */
  readonly board: string | undefined;
  readonly onBoard: (evaluation: string) => void;
}

/** The models of one evaluation side by side, and the leaderboards that were published. */
export function Boards({ projectId, runs, board, onBoard }: BoardsProps) {
  const evaluations = [...new Set(runs.map(evaluationOf))].filter(Boolean);
  const current = evaluations.find((one) => one === board) ?? evaluations[0];
  const [entity = '', project = ''] = projectId.split('/');
  const published = usePublished(projectId);
  if (current === undefined) return null;
  const ofBoard = runs.filter((run) => evaluationOf(run) === current && run.ended_at !== null);
  const summaries = ofBoard.map(({ output }) => summaryOf(output));
  const columns = commonPaths(summaries, COLUMNS_MAX).map((path): BoardColumn => ({
    label: path,
    isMinimum: /latency|cost|tokens/.test(path),
    runs: latestByModel(ofBoard),
    valueOf: ({ output }) => summaryOf(output).get(path),
  }));
  return (
    <section className={css.section} aria-labelledby="leaderboard">
      <div className={css.actions}>
        <h2 id="leaderboard">Leaderboard</h2>
        <label className={css.field}>
          Evaluation
          <select value={current} onChange={({ target }) => onBoard(target.value)}>
            {evaluations.map((one) => (
              <option key={one} value={one}>
                {refLabel(one)}
              </option>
            ))}
          </select>
        </label>
        {published.map((name) => (
          <Link
            key={name}
            to="/$entity/$project/weave/leaderboards/$name"
            params={{ entity, project, name }}
          >
            {name}
          </Link>
        ))}
      </div>
      <LeaderboardTable projectId={projectId} columns={columns} />
    </section>
  );
}

/** The newest run of each model. The runs are the newest first. */
export function latestByModel(runs: readonly EvaluationRun[]): ReadonlyMap<string, EvaluationRun> {
  const latest = new Map<string, EvaluationRun>();
  for (const run of runs) if (!latest.has(modelOf(run))) latest.set(modelOf(run), run);
  return latest;
}

function usePublished(projectId: string): readonly string[] {
  const { data } = useQuery({
    queryKey: ['leaderboards', projectId],
    staleTime: 60_000,
    queryFn: async ({ signal }) => {
      const filter = { base_object_classes: ['Leaderboard'], latest_only: true, is_op: false };
      const body = { project_id: projectId, filter, limit: BOARDS_MAX, metadata_only: true };
      type Named = { objs: readonly { object_id: string }[] };
      const { objs } = await post<Named>('/objs/query', body, signal);
      return objs.map(({ object_id }) => object_id);
    },
  });
  return data ?? [];
}
