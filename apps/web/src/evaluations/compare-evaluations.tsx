import { useMemo } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { formatCount } from '../format.js';
import { Empty, Problem, useTitle } from '../ui/parts.js';
import { useAddress } from '../ui/use-address.js';
import css from '../ui/board.module.css';
import { figuresOf, metricsOf } from './comparison.js';
import { Examples } from './examples.js';
import { EXAMPLES_MAX, runsQuery, scoresQuery, type EvaluationRun } from './evaluations-api.js';
import { nameOf } from './evaluations.js';
import { CallLink } from './figures.js';
import { MetricsTable } from './metrics-table.js';

/** Runs beside each other, example by example. The first run is the baseline. */
export function CompareEvaluations() {
  const { entity = '', project = '' } = useParams({ strict: false });
  const projectId = `${entity}/${project}`;
  useTitle(`Comparison in ${projectId}`);
  const [{ ids: idsText = '', metric: chosen }] = useAddress();
  const runIds = useMemo(() => [...new Set(idsText.split(',').filter(Boolean))], [idsText]);
  const runs = useQuery({
    ...runsQuery(projectId, { ids: runIds, limit: runIds.length }),
    enabled: runIds.length > 0,
  });
  const scores = useQuery(scoresQuery(projectId, runIds));
  const rows = scores.data?.rows;
  const metrics = useMemo(() => metricsOf(rows ?? []), [rows]);
  const figures = useMemo(() => figuresOf(rows ?? [], runIds, metrics), [rows, runIds, metrics]);
  const names = new Map(runIds.map((id) => [id, runName(runs.data, id)]));
  const metric = metrics.find(({ key }) => key === chosen) ?? metrics[0];
  const error = runs.error ?? scores.error;
  return (
    <main id="main" className={css.screen}>
      <div className={css.head}>
        <h1>Comparison of evaluations</h1>
        <Link
          to="/$entity/$project/weave/evaluations"
          params={{ entity, project }}
          search={{ ids: idsText }}
        >
          Choose other runs
        </Link>
      </div>
      {runIds.length < 2 && <Empty>The address names fewer than two runs.</Empty>}
      {error !== null && <Problem error={error} />}
      {error === null && scores.data === undefined && runIds.length > 0 && <Empty>Loading…</Empty>}
      {scores.data !== undefined && (
        <>
          <Runs projectId={projectId} runIds={runIds} names={names} />
          {scores.data.total_rows > EXAMPLES_MAX && (
            <p className={css.notice}>
              The runs have {formatCount(scores.data.total_rows)} examples. The first{' '}
              {formatCount(EXAMPLES_MAX)} of them are compared.
            </p>
          )}
          {metric === undefined ? (
            <Empty>These runs have no scores.</Empty>
          ) : (
            <>
              <MetricsTable
                projectId={projectId}
                names={names}
                figures={figures}
                selected={metric.key}
              />
              <Examples
                projectId={projectId}
                rows={scores.data.rows}
                runIds={runIds}
                names={names}
                metric={metric}
              />
            </>
          )}
        </>
      )}
    </main>
  );
}

function runName(runs: readonly EvaluationRun[] | undefined, id: string): string {
  const run = runs?.find((one) => one.id === id);
  return run === undefined ? id.slice(0, 8) : nameOf(run);
}

interface RunsProps {
  readonly projectId: string;
  readonly runIds: readonly string[];
  readonly names: ReadonlyMap<string, string>;
}

/** The order of the runs is in the address, so that another baseline is another address. */
function Runs({ projectId, runIds, names }: RunsProps) {
  const [, change] = useAddress();
  return (
    <ul className={css.actions} aria-label="Runs" style={{ listStyle: 'none', padding: 0 }}>
      {runIds.map((id, i) => (
        <li key={id} className={css.actions}>
          <CallLink projectId={projectId} callId={id}>
            {names.get(id)}
          </CallLink>
          {i === 0 ? (
            <strong>baseline</strong>
          ) : (
            <button
              type="button"
              onClick={() =>
                change({ ids: [id, ...runIds.filter((one) => one !== id)].join(','), page: '' })
              }
            >
              Make baseline<span hidden> of {names.get(id)}</span>
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}
