import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { formatAge, formatDuration } from '../format.js';
import { Empty, Problem, useNow, useTitle } from '../ui/parts.js';
import { pageIn, useAddress } from '../ui/use-address.js';
import css from '../ui/board.module.css';
import {
  evaluationOf,
  modelOf,
  refLabel,
  RUNS_PER_PAGE,
  runsQuery,
  type EvaluationRun,
} from './evaluations-api.js';
import { CallLink, formatFigure } from './figures.js';
import { Boards } from './boards.js';
import { commonPaths, summaryOf } from './run-metrics.js';

const METRICS_SHOWN = 6;
const COMPARED_MAX = 8;

/** The runs of evaluations, the newest first. Any of them can be compared. */
export function Evaluations() {
  const { entity = '', project = '' } = useParams({ strict: false });
  const projectId = `${entity}/${project}`;
  useTitle(`Evaluations of ${projectId}`);
  const [{ page: pageText, ids: idsText, board }, show] = useAddress();
  const page = pageIn(pageText);
  const ids = (idsText ?? '').split(',').filter(Boolean);
  const { data, error, refetch } = useQuery({
    ...runsQuery(projectId, { limit: RUNS_PER_PAGE + 1, offset: page * RUNS_PER_PAGE }),
    placeholderData: keepPreviousData,
  });
  const toggle = (id: string) =>
    show({ ids: (ids.includes(id) ? ids.filter((one) => one !== id) : [...ids, id]).join(',') });
  return (
    <main id="main" className={css.screen}>
      <div className={css.head}>
        <h1>Evaluations</h1>
        <div className={css.actions}>
          {ids.length >= 2 && ids.length <= COMPARED_MAX ? (
            <Link
              to="/$entity/$project/weave/evaluations/compare"
              params={{ entity, project }}
              search={{ ids: ids.join(',') }}
            >
              Compare {ids.length} runs
            </Link>
          ) : (
            <span className={css.muted}>
              {ids.length > COMPARED_MAX
                ? `At most ${COMPARED_MAX} runs can be compared.`
                : 'Select two or more runs to compare them.'}
            </span>
          )}
          <Link to="/$entity/$project/weave/annotations" params={{ entity, project }}>
            Annotation queues
          </Link>
        </div>
      </div>
      {error !== null && <Problem error={error} retry={() => void refetch()} />}
      {data === undefined && error === null && <Empty>Loading…</Empty>}
      {data !== undefined && data.length === 0 && (
        <Empty>
          <p>No evaluations yet. A run of weave.Evaluation appears here.</p>
        </Empty>
      )}
      {data !== undefined && data.length > 0 && (
        <>
          <Runs
            projectId={projectId}
            runs={data.slice(0, RUNS_PER_PAGE)}
            ids={ids}
            onToggle={toggle}
          />
          <div className={css.actions}>
            <button
              type="button"
              disabled={page === 0}
              onClick={() => show({ page: String(page - 1) })}
            >
              Newer
            </button>
            <button
              type="button"
              disabled={data.length <= RUNS_PER_PAGE}
              onClick={() => show({ page: String(page + 1) })}
            >
              Older
            </button>
          </div>
          <Boards
            projectId={projectId}
            runs={data}
            board={board}
            onBoard={(next) => show({ board: next })}
          />
        </>
      )}
    </main>
  );
}

interface RunsProps {
  readonly projectId: string;
  readonly runs: readonly EvaluationRun[];
  readonly ids: readonly string[];
  readonly onToggle: (id: string) => void;
}

function Runs({ projectId, runs, ids, onToggle }: RunsProps) {
  const now = useNow(30_000);
  const summaries = runs.map(({ output }) => summaryOf(output));
  const paths = commonPaths(summaries, METRICS_SHOWN);
  return (
    <div className={css.scroll} role="region" aria-label="Runs" tabIndex={0}>
      <table className={css.table}>
        <thead>
          <tr>
            <th scope="col">Compare</th>
            {['Run', 'Evaluation', 'Model', 'Status', 'Started'].map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
            {['Latency', ...paths].map((name) => (
              <th key={name} scope="col" className={css.number}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {runs.map((run, i) => (
            <tr key={run.id} className={ids.includes(run.id) ? css.selected : ''}>
              <td>
                <input
                  type="checkbox"
                  aria-label={`Compare ${nameOf(run)}`}
                  checked={ids.includes(run.id)}
                  onChange={() => onToggle(run.id)}
                />
              </td>
              <th scope="row">
                <CallLink projectId={projectId} callId={run.id}>
                  {nameOf(run)}
                </CallLink>
              </th>
              <td>{refLabel(evaluationOf(run))}</td>
              <td>{refLabel(modelOf(run))}</td>
              <td className={run.exception === null ? '' : css.bad}>{statusOf(run)}</td>
              <td>{formatAge(run.started_at, now)}</td>
              <td className={css.number}>{latencyOf(run)}</td>
              {paths.map((path) => {
                const value = summaries[i]!.get(path);
                return (
                  <td key={path} className={css.number}>
                    {value === undefined ? '–' : formatFigure(value)}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export const nameOf = (run: EvaluationRun): string =>
  run.display_name ?? (refLabel(modelOf(run)) || run.id.slice(0, 8));

const statusOf = ({ ended_at, exception }: EvaluationRun) =>
  ended_at === null ? 'running' : exception === null ? 'completed' : 'failed';

const latencyOf = ({ started_at, ended_at }: EvaluationRun) =>
  ended_at === null ? '–' : formatDuration(Date.parse(ended_at) - Date.parse(started_at));
