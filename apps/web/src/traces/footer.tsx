import type { Explanation } from '../api/types.js';
import { formatBytes, formatCount } from '../format.js';
import { CopyButton } from '../ui/parts.js';
import { slowHint, workOf } from './explained.js';
import { filterOf, rangeOf, searchedText, sortOf } from './traces-query.js';
import type { TracesSearch } from './traces-search.js';
import type { TracesPage } from './use-traces.js';
import css from './traces.module.css';

interface FooterProps {
  readonly search: TracesSearch;
  readonly shown: number;
  readonly total: number | undefined;
  readonly page: TracesPage | undefined;
  readonly explanation: readonly Explanation[] | undefined;
}

/** How many calls are shown, and what it took to read them. */
export function Footer({ search, shown, total, page, explanation }: FooterProps) {
  return (
    <footer className={css.foot}>
      <span role="status">{page && countText(shown, total, search.calls === 'all')}</span>
      {page && <Work search={search} page={page} explanation={explanation} />}
    </footer>
  );
}

function countText(shown: number, total: number | undefined, areCalls: boolean): string {
  const noun = areCalls ? 'calls' : 'traces';
  return total === undefined || total < shown
    ? `${formatCount(shown)} ${noun}`
    : `${formatCount(shown)} of ${formatCount(total)} ${noun}`;
}

interface WorkProps {
  readonly search: TracesSearch;
  readonly page: TracesPage;
  readonly explanation: readonly Explanation[] | undefined;
}

function Work({ search, page: { tookMs }, explanation }: WorkProps) {
  const { rows, bytes, indexes } = workOf(explanation ?? []);
  const range = rangeOf(search, Date.now());
  const hint = slowHint(tookMs, {
    hasRange: range.start !== undefined,
    searchesText: searchedText(filterOf(search.q).expr) !== undefined,
    isSortedByTime: sortOf(search.sort).field === 'started_at',
  });
  const parts = [
    `${Math.round(tookMs)} ms`,
    ...(explanation ? [`${formatCount(rows)} rows`, formatBytes(bytes)] : []),
    ...(indexes.length > 0 ? [indexes.join(', ')] : []),
  ];
  return (
    <span className={css.work}>
      {hint !== undefined && <strong>{hint} </strong>}
      {parts.join(' · ')}{' '}
      <button type="button" popoverTarget="explain" className={css.why}>
        Why?
      </button>
      <div id="explain" popover="auto" className={css.explain}>
        <h2>What the server did for the first page</h2>
        <ol>
          {explanation?.map(({ sql, rows_read, bytes_read, elapsed_ms }, index) => (
            // Statements have no other identity than their order.
            <li key={index}>
              {elapsed_ms.toFixed(1)} ms, {formatCount(rows_read)} rows, {formatBytes(bytes_read)}{' '}
              <CopyButton label="Copy SQL" text={sql} />
              <pre tabIndex={0}>{sql}</pre>
            </li>
          ))}
        </ol>
      </div>
    </span>
  );
}
