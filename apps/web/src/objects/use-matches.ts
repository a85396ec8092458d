import { useEffect, useState } from 'react';
import { tableRows, type TableId, type TableRow, type TableSort } from './table-api.js';
import { contains } from './table-rows.js';

/** Rows that are kept. */
const MATCHES_MAX = 1_000;
/** How often the rows found so far are shown. */
const SHOW_MS = 200;

interface Matches {
  readonly rows: readonly TableRow[];
  readonly scanned: number;
  readonly isComplete: boolean;
  /** More rows match than are kept. */
  readonly isCut: boolean;
  readonly error?: unknown;
}

const NONE: Matches = { rows: [], scanned: 0, isComplete: false, isCut: false };

/** Reads a whole table row by row and keeps the rows that contain the text. Ends when the text changes. */
export function useMatches(
  { projectId, digest }: TableId,
  sort: TableSort | undefined,
  find: string,
) {
  const [matches, setMatches] = useState(NONE);
  const order = sort === undefined ? '' : `${sort.direction} ${sort.field}`;
  useEffect(() => {
    setMatches(NONE);
    if (find === '') return;
    const abort = new AbortController();
    const scan = async () => {
      const rows: TableRow[] = [];
      let scanned = 0;
      let shownAt = performance.now();
      const text = find.toLowerCase();
      for await (const row of tableRows({ projectId, digest }, sort, abort.signal)) {
        scanned++;
        if (contains(row, text) && rows.push(row) >= MATCHES_MAX) break;
        if (performance.now() - shownAt < SHOW_MS) continue;
        shownAt = performance.now();
        setMatches({ rows: [...rows], scanned, isComplete: false, isCut: false });
      }
      const isCut = rows.length >= MATCHES_MAX;
      setMatches({ rows, scanned, isComplete: true, isCut });
    };
    scan().catch((error: unknown) => {
      if (!abort.signal.aborted) setMatches({ ...NONE, isComplete: true, error });
    });
    return () => abort.abort();
    // The sort is an object of every render; its text says whether it changed.
  }, [projectId, digest, order, find]);
  return matches;
}
