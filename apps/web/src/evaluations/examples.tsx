import { useMemo } from 'react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { formatCount } from '../format.js';
import { Problem } from '../ui/parts.js';
import { pageIn, useAddress } from '../ui/use-address.js';
import css from '../ui/board.module.css';
import { Pager } from '../ui/pager.js';
import {
  gainOf,
  isRegression,
  regressionsFirst,
  trialsIn,
  valueOf,
  type Metric,
  type ResultRow,
  type Trial,
} from './comparison.js';
import { examplesQuery } from './evaluations-api.js';
import { CallLink, excerpt, formatFigure, signed } from './figures.js';

const PER_PAGE = 20;

interface ExamplesProps {
  readonly projectId: string;
  readonly rows: readonly ResultRow[];
  readonly runIds: readonly string[];
  readonly names: ReadonlyMap<string, string>;
  readonly metric: Metric;
}

/** The examples with the value of every run. Those that became worse come first, and every cell opens its trace. */
export function Examples({ projectId, rows, runIds, names, metric }: ExamplesProps) {
  const [{ page: pageText, show }, change] = useAddress();
  const ordered = useMemo(() => regressionsFirst(rows, runIds, metric), [rows, runIds, metric]);
  const regressions = ordered.filter((row) => isRegression(row, runIds, metric));
  const isFiltered = show === 'regressions';
  const listed = isFiltered ? regressions : ordered;
  const last = Math.max(0, Math.ceil(listed.length / PER_PAGE) - 1);
  const page = Math.min(last, pageIn(pageText));
  const shown = listed.slice(page * PER_PAGE, (page + 1) * PER_PAGE);
  const digests = shown.map(({ row_digest }) => row_digest);
  const details = useQuery({
    ...examplesQuery(projectId, runIds, digests),
    placeholderData: keepPreviousData,
  });
  const detailOf = (digest: string) =>
    details.data?.rows.find(({ row_digest }) => row_digest === digest);
  return (
    <section className={css.section} aria-labelledby="examples">
      <div className={css.actions}>
        <h2 id="examples">Examples by {metric.label}</h2>
        <span role="status">
          {formatCount(regressions.length)} of {formatCount(rows.length)} examples became worse
        </span>
        <label className={css.field}>
          <input
            type="checkbox"
            checked={isFiltered}
            onChange={({ target }) =>
              change({ show: target.checked ? 'regressions' : '', page: '' })
            }
          />
          Only these
        </label>
        <Pager page={page} last={last} onPage={(next) => change({ page: String(next) })} />
      </div>
      {details.error !== null && <Problem error={details.error} />}
      {details.data !== undefined && details.data.warnings.length > 0 && (
        <p className={css.notice}>
          The dataset of these examples cannot be read: it was deleted, or it is in another project.
          The scores are those of the runs, and each example is shown as its ref.
        </p>
      )}
      <div className={css.scroll} role="region" aria-label="Examples" tabIndex={0}>
        <table className={css.table}>
          <thead>
            <tr>
              <th scope="col">Example</th>
              {runIds.map((id) => (
                <th key={id} scope="col">
                  {names.get(id)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((row) => (
              <ExampleRow
                key={row.row_digest}
                {...{ projectId, row, runIds, names, metric }}
                detail={detailOf(row.row_digest)}
              />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

interface ExampleRowProps {
  readonly projectId: string;
  readonly row: ResultRow;
  readonly detail: ResultRow | undefined;
  readonly runIds: readonly string[];
  readonly names: ReadonlyMap<string, string>;
  readonly metric: Metric;
}

function ExampleRow({ projectId, row, detail, runIds, names, metric }: ExampleRowProps) {
  const label = detail === undefined ? row.row_digest.slice(0, 8) : excerpt(detail.raw_data_row);
  return (
    <tr>
      <th scope="row" className={css.wide}>
        <span className={css.cut}>{label}</span>
      </th>
      {runIds.map((id) => {
        const trials = trialsIn(row, id);
        const value = valueOf(row, id, metric);
        const gain = id === runIds[0] ? undefined : gainOf(row, runIds, id, metric);
        if (trials.length === 0) return <td key={id}>not in this run</td>;
        return (
          <td key={id} className={css.wide}>
            {trials.map((trial, n) => (
              <div key={trial.predict_and_score_call_id}>
                <CallLink
                  projectId={projectId}
                  callId={trial.predict_and_score_call_id}
                  label={`Trace of ${names.get(id)}, ${metric.label} ${value === undefined ? 'none' : formatFigure(value)}${trials.length > 1 ? `, trial ${n + 1}` : ''}`}
                >
                  {n === 0
                    ? value === undefined
                      ? 'no score'
                      : formatFigure(value)
                    : `trial ${n + 1}`}
                </CallLink>
              </div>
            ))}
            {gain !== undefined && gain !== 0 && (
              <span className={gain < 0 ? css.bad : css.good}>
                {signed(metric.isLowerBetter ? -gain : gain)} {gain < 0 ? 'worse' : 'better'}
              </span>
            )}
            {id !== runIds[0] && (
              <DiffLink
                projectId={projectId}
                first={trialsIn(row, runIds[0]!)[0]}
                second={trials[0]}
              />
            )}
            <span className={css.cut}>{outputOf(detail, id)}</span>
          </td>
        );
      })}
    </tr>
  );
}

interface DiffLinkProps {
  readonly projectId: string;
  readonly first: Trial | undefined;
  readonly second: Trial | undefined;
}

/** The two traces beside each other. */
function DiffLink({ projectId, first, second }: DiffLinkProps) {
  const [entity = '', project = ''] = projectId.split('/');
  if (first === undefined || second === undefined) return null;
  const calls = `${first.predict_and_score_call_id},${second.predict_and_score_call_id}`;
  return (
    <>
      {' '}
      <Link to="/$entity/$project/weave/compare" params={{ entity, project }} search={{ calls }}>
        Diff
      </Link>
    </>
  );
}

const outputOf = (detail: ResultRow | undefined, runId: string): string => {
  const [trial] = detail === undefined ? [] : trialsIn(detail, runId);
  return trial === undefined ? '' : excerpt(trial.model_output);
};
