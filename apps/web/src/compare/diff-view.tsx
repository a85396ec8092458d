import { useMemo } from 'react';
import { formatCount } from '../format.js';
import css from '../ui/board.module.css';
import { jsonDiff } from './json-diff.js';
import { lineDiff, withContext } from './line-diff.js';

const EXCERPT = 2_000;
const CONTEXT_LINES = 3;
const LINES_SHOWN = 2_000;
const cut = (text: string) => (text.length > EXCERPT ? `${text.slice(0, EXCERPT)}…` : text);

interface DiffProps {
  readonly label: string;
  readonly before: string;
  readonly after: string;
}

/** Two JSON texts by path: what was changed, added and removed. */
export function JsonDiffTable({ label, before, after }: DiffProps) {
  const { differences, isCut } = useMemo(() => jsonDiff(before, after), [before, after]);
  if (differences.length === 0) return <p className={css.muted}>{label}: no difference.</p>;
  return (
    <div className={css.scroll} role="region" aria-label={`${label} by path`} tabIndex={0}>
      <table className={css.table}>
        <thead>
          <tr>
            {[`${label}: path`, 'First', 'Second'].map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {differences.map(({ path, before: first, after: second }) => (
            <tr key={path}>
              <th scope="row" className={css.wide}>
                <code>{path === '' ? 'the whole value' : path}</code>
              </th>
              <Side text={first} className={css.removed} />
              <Side text={second} className={css.added} />
            </tr>
          ))}
        </tbody>
      </table>
      {isCut && (
        <p className={css.muted}>Only the first {formatCount(differences.length)} are shown.</p>
      )}
    </div>
  );
}

function Side({
  text,
  className,
}: {
  readonly text: string | undefined;
  readonly className: string | undefined;
}) {
  if (text === undefined) return <td className={css.muted}>absent</td>;
  return (
    <td className={`${css.wide} ${className}`}>
      <code>{cut(text)}</code>
    </td>
  );
}

/** Two texts line by line. A sign stands before each changed line, because colour alone is not enough. */
export function TextDiff({ label, before, after }: DiffProps) {
  const lines = useMemo(
    () => withContext(lineDiff(before, after), CONTEXT_LINES).slice(0, LINES_SHOWN),
    [before, after],
  );
  if (before === after) return <p className={css.muted}>{label}: no difference.</p>;
  return (
    <div role="region" aria-label={`${label} as text`} tabIndex={0} className={css.lines}>
      {lines.map((line, i) =>
        typeof line === 'number' ? (
          <div key={i} className={css.muted}>
            … {formatCount(line)} {line === 1 ? 'line' : 'lines'} in common
          </div>
        ) : (
          <div key={i} className={line.kind === 'same' ? '' : css[line.kind]}>
            {line.kind === 'added' ? '+ ' : line.kind === 'removed' ? '− ' : '  '}
            {cut(line.text)}
          </div>
        ),
      )}
    </div>
  );
}
