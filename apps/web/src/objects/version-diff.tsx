import { useEffect, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { JsonDiffTable, TextDiff } from '../compare/diff-view.js';
import { formatCount } from '../format.js';
import { indentJson } from '../operations/indent-json.js';
import { Empty, Problem } from '../ui/parts.js';
import { useAddress } from '../ui/use-address.js';
import css from '../ui/board.module.css';
import { objectQuery } from './objects-api.js';
import { opCodeQuery } from './op-code.js';
import { tableOf } from './table-of.js';
import { rowsByDigest, tableRows, type TableId, type TableRow } from './table-api.js';
import { cellText, RowDigests } from './table-rows.js';

interface VersionDiffProps {
  readonly projectId: string;
  readonly name: string;
  readonly kind: 'op' | 'object';
  readonly digest: string;
  /** The version that it is compared with: the first side. */
  readonly other: string;
}

/** Two versions: the code of ops, values by path or as text, and the rows of datasets by digest. */
export function VersionDiff({ projectId, name, kind, digest, other }: VersionDiffProps) {
  const [{ as = 'path' }, change] = useAddress();
  const before = useQuery(objectQuery(projectId, name, other));
  const after = useQuery(objectQuery(projectId, name, digest));
  const error = before.error ?? after.error;
  if (error !== null) return <Problem error={error} />;
  if (before.data === undefined || after.data === undefined) return <Empty>Loading…</Empty>;
  const [a, b] = [before.data, after.data];
  const [first, second] = [tableOf(a.value), tableOf(b.value)];
  const refOf = (version: string) => `weave:///${projectId}/op/${name}:${version}`;
  return (
    <section className={css.section} aria-label="Differences">
      <div className={css.actions}>
        <h2>
          From v{a.version} to v{b.version}
        </h2>
        {[
          ['path', 'By path'],
          ['text', 'As text'],
        ].map(([value, label]) => (
          <button
            key={value}
            type="button"
            aria-pressed={as === value}
            onClick={() => change({ as: value })}
          >
            {label}
          </button>
        ))}
      </div>
      {kind === 'op' && <CodeDiff before={refOf(a.digest)} after={refOf(b.digest)} />}
      {as === 'text' ? (
        <TextDiff label="Value" before={indentJson(a.value)} after={indentJson(b.value)} />
      ) : (
        <JsonDiffTable label="Value" before={a.value} after={b.value} />
      )}
      {first !== undefined && second !== undefined && <RowsDiff before={first} after={second} />}
    </section>
  );
}

function CodeDiff({ before, after }: { readonly before: string; readonly after: string }) {
  const a = useQuery(opCodeQuery(before));
  const b = useQuery(opCodeQuery(after));
  if (a.data === undefined || b.data === undefined) return <p>Code: loading…</p>;
  return <TextDiff label="Code" before={a.data?.text ?? ''} after={b.data?.text ?? ''} />;
}

/** Changed rows that are shown of each table. */
const SHOWN = 100;

interface Rows {
  readonly same: number;
  readonly added: number;
  readonly removed: number;
  readonly addedRows: readonly TableRow[];
  readonly removedRows: readonly TableRow[];
}

async function compareRows(
  before: TableId,
  after: TableId,
  onProgress: (rows: number) => void,
  signal: AbortSignal,
): Promise<Rows> {
  const digests = new RowDigests();
  let read = 0;
  const count = () => {
    if (++read % 5_000 === 0) onProgress(read);
  };
  for await (const { digest } of tableRows(before, undefined, signal)) {
    digests.addBefore(digest);
    count();
  }
  for await (const { digest } of tableRows(after, undefined, signal)) {
    digests.addAfter(digest);
    count();
  }
  const [addedRows, removedRows] = await Promise.all([
    rowsByDigest(after, digests.added.slice(0, SHOWN), signal),
    rowsByDigest(before, digests.removedDigests(SHOWN), signal),
  ]);
  const { same, removed, added } = digests;
  return { same, removed, added: added.length, addedRows, removedRows };
}

/** The rows of two tables by digest: a changed row is one that is removed and one that is added. */
function RowsDiff({ before, after }: { readonly before: TableId; readonly after: TableId }) {
  const [progress, setProgress] = useState(0);
  const [rows, setRows] = useState<Rows>();
  const [error, setError] = useState<unknown>();
  const key = JSON.stringify([before, after]);
  useEffect(() => {
    const abort = new AbortController();
    setRows(undefined);
    setError(undefined);
    compareRows(before, after, setProgress, abort.signal).then(setRows, (caught: unknown) => {
      if (!abort.signal.aborted) setError(caught);
    });
    return () => abort.abort();
    // The ids are objects of every render; their text says whether they changed.
  }, [key]);
  if (error !== undefined) return <Problem error={error} />;
  if (rows === undefined) return <p>Rows: {formatCount(progress)} read…</p>;
  const sides = [
    ['−', css.removed, rows.removedRows],
    ['+', css.added, rows.addedRows],
  ] as const;
  return (
    <section className={css.section} aria-label="Rows by digest">
      <p role="status">
        {formatCount(rows.same)} rows are the same, {formatCount(rows.removed)} removed,{' '}
        {formatCount(rows.added)} added.
      </p>
      {(rows.removed > SHOWN || rows.added > SHOWN) && (
        <p className={css.muted}>Of each, the first {SHOWN} are shown.</p>
      )}
      <div className={css.lines} role="region" aria-label="Changed rows" tabIndex={0}>
        {sides.flatMap(([sign, className, changed]) =>
          changed.map(({ digest, original_index, val }) => (
            <div key={`${sign} ${digest}`} className={className}>
              {sign} {original_index}: {cellText(val)}
            </div>
          )),
        )}
      </div>
    </section>
  );
}
