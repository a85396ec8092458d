import { formatCount, formatDuration, formatMoney } from '../format.js';
import { CallLink } from '../evaluations/figures.js';
import { statusOf, type TraceTree } from '../trace/trace-tree.js';
import { StatusBadge } from '../ui/parts.js';
import { pageIn, useAddress } from '../ui/use-address.js';
import css from '../ui/board.module.css';
import { Pager } from '../ui/pager.js';
import type { AlignedCall } from './trace-align.js';

const PER_PAGE = 100;
const INDENT_MAX = 20;

interface CallsTableProps {
  readonly projectId: string;
  readonly rows: readonly AlignedCall[];
  readonly left: TraceTree;
  readonly right: TraceTree;
}

/** The calls of both traces. Latency, tokens and cost are those of the call with everything below it. */
export function CallsTable({ projectId, rows, left, right }: CallsTableProps) {
  const [{ page: pageText, show, pair = '' }, change] = useAddress();
  const isChanged = (row: AlignedCall) =>
    row.left < 0 || row.right < 0 || statusOf(left, row.left) !== statusOf(right, row.right);
  const changed = rows.filter(isChanged);
  const listed = show === 'changed' ? changed : rows;
  const last = Math.max(0, Math.ceil(listed.length / PER_PAGE) - 1);
  const page = Math.min(last, pageIn(pageText));
  return (
    <section className={css.section} aria-labelledby="aligned">
      <div className={css.actions}>
        <h2 id="aligned">Calls by op path</h2>
        <span role="status">
          {formatCount(rows.length)} pairs, of which {formatCount(changed.length)} are in one trace
          only or have another status
        </span>
        <label className={css.field}>
          <input
            type="checkbox"
            checked={show === 'changed'}
            onChange={({ target }) => change({ show: target.checked ? 'changed' : '', page: '' })}
          />
          Only these
        </label>
        {last > 0 && (
          <Pager page={page} last={last} onPage={(next) => change({ page: String(next) })} />
        )}
      </div>
      <div className={css.scroll} role="region" aria-label="Calls by op path" tabIndex={0}>
        <table className={css.table}>
          <thead>
            <tr>
              {['Op', 'First', 'Second', 'Latency', 'Tokens', 'Cost', 'Payloads'].map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {listed.slice(page * PER_PAGE, (page + 1) * PER_PAGE).map((row) => {
              const ids = `${left.ids[row.left] ?? ''},${right.ids[row.right] ?? ''}`;
              const isPair = row.left >= 0 && row.right >= 0;
              return (
                <tr key={ids} className={pair === ids ? css.selected : ''}>
                  <th
                    scope="row"
                    style={{ paddingLeft: 12 + Math.min(INDENT_MAX, row.depth) * 14 }}
                  >
                    {row.label}
                  </th>
                  <Side projectId={projectId} tree={left} row={row.left} which="first" />
                  <Side projectId={projectId} tree={right} row={row.right} which="second" />
                  <Change
                    row={row}
                    of={(tree, at) => tree.duration[at]! / 1000}
                    {...{ left, right }}
                    format={formatDuration}
                  />
                  <Change
                    row={row}
                    of={(tree, at) => tree.tokens[at]!}
                    {...{ left, right }}
                    format={formatCount}
                  />
                  <Change
                    row={row}
                    of={(tree, at) => tree.cost[at]!}
                    {...{ left, right }}
                    format={formatMoney}
                  />
                  <td>
                    {isPair && (
                      <button
                        type="button"
                        aria-pressed={pair === ids}
                        onClick={() => change({ pair: ids })}
                      >
                        Compare<span hidden> payloads of {row.label}</span>
                      </button>
                    )}
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </section>
  );
}

interface SideProps {
  readonly projectId: string;
  readonly tree: TraceTree;
  readonly row: number;
  readonly which: string;
}

function Side({ projectId, tree, row, which }: SideProps) {
  if (row < 0) return <td className={css.muted}>not in the {which}</td>;
  const micros = tree.duration[row]!;
  return (
    <td>
      <CallLink projectId={projectId} callId={tree.ids[row]!}>
        {micros < 0 ? 'running' : formatDuration(micros / 1000)}
      </CallLink>{' '}
      <StatusBadge status={statusOf(tree, row)} />
    </td>
  );
}

interface ChangeProps {
  readonly row: AlignedCall;
  readonly left: TraceTree;
  readonly right: TraceTree;
  readonly of: (tree: TraceTree, row: number) => number;
  readonly format: (value: number) => string;
}

/** Second minus first. */
function Change({ row, left, right, of, format }: ChangeProps) {
  const isPair = row.left >= 0 && row.right >= 0;
  const difference = isPair ? of(right, row.right) - of(left, row.left) : NaN;
  if (Number.isNaN(difference)) return <td className={css.number}>–</td>;
  const sign = difference > 0 ? '+' : difference < 0 ? '−' : '±';
  return (
    <td className={`${css.number} ${difference > 0 ? css.bad : difference < 0 ? css.good : ''}`}>
      {sign}
      {format(Math.abs(difference))}
    </td>
  );
}
