import { formatCount } from '../format.js';
import type { ErasureReport } from './erasure-api.js';
import board from '../ui/board.module.css';
import css from './operations.module.css';

interface ErasureReportsProps {
  readonly erasures: readonly ErasureReport[];
  readonly time: (at: string) => string;
}

/** What each erasure has deleted, and what it cannot reach. */
export function ErasureReports({ erasures, time }: ErasureReportsProps) {
  return (
    <section aria-labelledby="reports" className={css.section}>
      <h2 id="reports">Reports</h2>
      {erasures.length === 0 && <p className={css.muted}>Nothing was erased here.</p>}
      {erasures.length > 0 && (
        <div className={board.scroll} role="region" aria-label="Reports" tabIndex={0}>
          <table className={`${board.table} ${css.table}`}>
            <thead>
              <tr>
                {['Erased', 'Requested', 'By', 'State', 'Result'].map((name) => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {erasures.map((one) => (
                <tr key={one.id}>
                  <th scope="row">{targetText(one)}</th>
                  <td>{time(one.requested_at)}</td>
                  <td>{one.requested_by}</td>
                  <td className={one.state === 'failed' ? css.bad : ''}>{one.state}</td>
                  <td className={css.detail}>
                    <Result report={one} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

const targetText = ({ project_id, trace_id, user }: ErasureReport) =>
  trace_id !== null
    ? `trace ${trace_id} of ${project_id}`
    : user !== null
      ? `${user} in ${project_id}`
      : project_id;

function Result({
  report: { state, calls, files, rows, not_reached, error },
}: {
  readonly report: ErasureReport;
}) {
  if (error !== null) return error;
  const total = Object.values(rows).reduce((sum, count) => sum + count, 0);
  if (state !== 'done') {
    return total === 0
      ? 'A worker carries it out within seconds.'
      : `Erased from all tables: ${formatCount(calls)} calls, ${formatCount(total)} rows. Copies on disks are being removed.`;
  }
  return (
    <details>
      <summary>
        {formatCount(calls)} calls, {formatCount(total)} rows
        {files > 0 && `, ${formatCount(files)} files in the bucket`}
      </summary>
      <ul>
        {Object.entries(rows).map(([table, count]) => (
          <li key={table}>
            {table}: {formatCount(count)}
          </li>
        ))}
      </ul>
      <p>Not erased, because it cannot be reached from here:</p>
      <ul>
        {not_reached.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </details>
  );
}
