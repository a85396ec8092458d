import { Empty } from '../ui/parts.js';
import { useAddress } from '../ui/use-address.js';
import css from '../ui/board.module.css';
import { refLabel, type EvaluationRun } from './evaluations-api.js';
import { CallLink, formatFigure } from './figures.js';
import { bestOf } from './run-metrics.js';

export interface BoardColumn {
  readonly label: string;
  readonly isMinimum: boolean;
  /** Ref of the model → its newest run. */
  readonly runs: ReadonlyMap<string, EvaluationRun>;
  readonly valueOf: (run: EvaluationRun) => number | undefined;
}

interface LeaderboardTableProps {
  readonly projectId: string;
  readonly columns: readonly BoardColumn[];
}

/** One row for each model, the best of the chosen column first. Every figure opens the run that made it. */
export function LeaderboardTable({ projectId, columns }: LeaderboardTableProps) {
  const [{ sort }, change] = useAddress();
  const sorted = columns.find(({ label }) => label === sort) ?? columns[0];
  if (sorted === undefined) return <Empty>No run has a summary yet.</Empty>;
  const models = [...new Set(columns.flatMap(({ runs }) => [...runs.keys()]))];
  const value = (column: BoardColumn, model: string) => {
    const run = column.runs.get(model);
    return run === undefined ? undefined : column.valueOf(run);
  };
  const rank = (model: string) => {
    const found = value(sorted, model);
    return found === undefined ? Infinity : sorted.isMinimum ? found : -found;
  };
  const best = columns.map((column) =>
    bestOf(
      models.map((model) => value(column, model)),
      column.isMinimum,
    ),
  );
  models.sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
  return (
    <div className={css.scroll} role="region" aria-label="Leaderboard" tabIndex={0}>
      <table className={css.table}>
        <thead>
          <tr>
            <th scope="col">Model</th>
            {columns.map((column) => (
              <th
                key={column.label}
                scope="col"
                className={css.number}
                aria-sort={
                  column === sorted ? (column.isMinimum ? 'ascending' : 'descending') : 'none'
                }
              >
                <button type="button" onClick={() => change({ sort: column.label })}>
                  {column.label}
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {models.map((model) => (
            <tr key={model}>
              <th scope="row">{model === '' ? 'no model' : refLabel(model)}</th>
              {columns.map((column, i) => {
                const found = value(column, model);
                const run = column.runs.get(model);
                return (
                  <td key={column.label} className={css.number}>
                    {found === undefined || run === undefined ? (
                      '–'
                    ) : (
                      <CallLink projectId={projectId} callId={run.id}>
                        {formatFigure(found)}
                        {found === best[i] && models.length > 1 && ' (best)'}
                      </CallLink>
                    )}
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
