import { useMemo } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { CallPanel } from '../call/call-panel.js';
import { formatCount, formatDuration, formatMoney } from '../format.js';
import { lastSearch } from '../traces/last-list.js';
import { useChangeSearch } from '../ui/change-search.js';
import { useKeys } from '../ui/keys.js';
import { copyText, Empty, Problem, StatusBadge, useNow, useTitle } from '../ui/parts.js';
import {
  criticalPath,
  isRunning,
  labelOf,
  nextRow,
  opToggled,
  revealed,
  statusOf,
  visibleRows,
  type TraceTree,
} from './trace-tree.js';
import { foldedRows, foldText } from './folds.js';
import { Minimap } from './minimap.js';
import { TreeView } from './tree-view.js';
import { useCursor } from './use-cursor.js';
import { useFind } from './use-find.js';
import { traceIdKey, useTraceIdOf, useTree } from './use-trace.js';
import { panned, zoomed, zoomOf, zoomText, type Zoom } from './zoom.js';
import css from './trace.module.css';

/** The trace of a call, or of its own id, with one call selected. */
export function Trace() {
  const params = useParams({ strict: false });
  const search = useSearch({ strict: false });
  const projectId = `${params.entity}/${params.project}`;
  const callId = params.callId ?? search.call;
  const found = useTraceIdOf(projectId, params.callId);
  const traceId = params.traceId ?? found.data ?? undefined;
  const { tree, isComplete, error } = useTree(projectId, traceId);

  if (found.data === null || (isComplete && tree?.count === 0)) {
    return <NoTrace projectId={projectId} id={callId ?? traceId ?? ''} />;
  }
  const problem = found.error ?? error;
  if (problem !== null && problem !== undefined) return <Problem error={problem} />;
  if (tree === undefined || tree.count === 0) return <Empty>Loading…</Empty>;
  const selected = Math.max(0, callId === undefined ? 0 : tree.ids.indexOf(callId));
  return (
    <LoadedTrace
      key={tree.header.trace_id}
      projectId={projectId}
      tree={tree}
      isComplete={isComplete}
      selected={selected}
    />
  );
}

function NoTrace({ projectId, id }: { readonly projectId: string; readonly id: string }) {
  const [entity, project] = projectId.split('/') as [string, string];
  return (
    <main id="main">
      <Empty>
        <h1>There is no such call</h1>
        <p>
          <code>{id}</code> is not a call of this project, or it was deleted. A new call appears as
          soon as its SDK has sent it.
        </p>
        <Link to="/$entity/$project/weave/traces" params={{ entity, project }}>
          Traces of {projectId}
        </Link>
      </Empty>
    </main>
  );
}

interface LoadedTraceProps {
  readonly projectId: string;
  readonly tree: TraceTree;
  readonly isComplete: boolean;
  readonly selected: number;
}

function LoadedTrace({ projectId, tree: read, isComplete, selected }: LoadedTraceProps) {
  const { tree, elapsed } = useGrowing(read);
  const search = useSearch({ strict: false });
  const select = useSelect(projectId, tree.header.trace_id);
  const changeSearch = useChangeSearch();
  const navigate = useNavigate();
  const [entity, project] = projectId.split('/') as [string, string];
  const list = {
    to: '/$entity/$project/weave/traces',
    params: { entity, project },
    search: lastSearch(projectId),
  } as const;
  const find = search.find ?? '';
  const kept = useMemo(() => foldedRows(tree, search.fold), [tree, search.fold]);
  const [cursor, moveTo] = useCursor(selected, (row) =>
    select(tree.ids[row]!, foldText(tree, revealed(tree, kept, row))),
  );
  const matches = useFind(projectId, read, find);
  const critical = useMemo(() => criticalPath(tree), [tree]);
  // A call is unfolded when the cursor comes to it, not when the user folds a call above it.
  const folded = useMemo(
    () => (cursor === selected ? kept : revealed(tree, kept, cursor)),
    [tree, kept, cursor, selected],
  );
  const rows = useMemo(() => visibleRows(tree, folded), [tree, folded]);
  const zoom = zoomOf(search.zoom, tree.length);
  const changeZoom = (next: Zoom) => changeSearch({ zoom: zoomText(next, tree.length) });
  useTitle(labelOf(tree, 0));

  const go = (row: number | undefined) => row !== undefined && moveTo(row);
  const isError = (row: number) => statusOf(tree, row) === 'error';
  const changeFolded = (rows: ReadonlySet<number>) => changeSearch({ fold: foldText(tree, rows) });
  const fold = (row: number, isFolded: boolean) => {
    const changed = new Set(folded);
    if (isFolded) changed.add(row);
    else changed.delete(row);
    changeFolded(changed);
  };
  const foldOp = () => changeFolded(opToggled(tree, folded, tree.op[cursor]!));
  useKeys({
    e: () => go(nextRow(tree.count, cursor, 1, isError)),
    E: () => go(nextRow(tree.count, cursor, -1, isError)),
    n: () => go(nextRow(tree.count, cursor, 1, (row) => matches.has(row))),
    N: () => go(nextRow(tree.count, cursor, -1, (row) => matches.has(row))),
    f: foldOp,
    w: () => changeZoom(zoomed(zoom, 0.5, tree.length)),
    s: () => changeZoom(zoomed(zoom, 2, tree.length)),
    a: () => changeZoom(panned(zoom, -0.5, tree.length)),
    d: () => changeZoom(panned(zoom, 0.5, tree.length)),
    y: () => void copyText(location.href),
    '/': () => document.getElementById('find-in-trace')?.focus(),
    Escape: () => void navigate({ ...list }),
  });

  return (
    <main id="main" className={css.trace}>
      <header className={css.head}>
        <Link {...list}>← Traces</Link>
        <h1>{labelOf(tree, 0)}</h1>
        <StatusBadge status={statusOf(tree, 0)} />
        <Totals tree={tree} />
        {!isComplete && <span role="status">reading…</span>}
        {tree.header.has_more && <span>the first {formatCount(tree.count)} calls</span>}
        <span className={css.space} />
        <input
          id="find-in-trace"
          type="search"
          aria-label="Find in trace"
          placeholder="Find in trace"
          value={find}
          onChange={(event) => changeSearch({ find: event.target.value })}
          onKeyDown={(event) => {
            if (event.key === 'Enter')
              go(nextRow(tree.count, cursor, 1, (row) => matches.has(row)));
            if (event.key === 'Escape') event.currentTarget.blur();
          }}
        />
        {find !== '' && <span role="status">{formatCount(matches.size)} found</span>}
        <button
          type="button"
          disabled={tree.errors[0] === 0}
          onClick={() => go(nextRow(tree.count, cursor, 1, isError))}
        >
          Next error
        </button>
        <button type="button" onClick={foldOp}>
          Fold this op
        </button>
      </header>
      <div className={css.map}>
        <Minimap tree={tree} rows={rows} zoom={zoom} onZoom={changeZoom} />
        <button
          type="button"
          aria-label="Zoom in"
          onClick={() => changeZoom(zoomed(zoom, 0.5, tree.length))}
        >
          +
        </button>
        <button
          type="button"
          aria-label="Zoom out"
          onClick={() => changeZoom(zoomed(zoom, 2, tree.length))}
        >
          −
        </button>
        <button
          type="button"
          disabled={search.zoom === undefined}
          onClick={() => changeSearch({ zoom: '' })}
        >
          Whole trace
        </button>
      </div>
      <div className={css.body}>
        <TreeView
          tree={tree}
          rows={rows}
          folded={folded}
          selected={cursor}
          matches={matches}
          critical={critical}
          zoom={zoom}
          elapsed={elapsed}
          onSelect={moveTo}
          onFold={fold}
          onFoldOp={foldOp}
        />
        <CallPanel
          key={tree.ids[selected]}
          projectId={projectId}
          callId={tree.ids[selected]!}
          tree={tree}
          row={selected}
        />
      </div>
    </main>
  );
}

/** A trace that was quiet for longer than this has probably lost its program: its time scale does not grow any more. */
const QUIET_MAX_MICROS = 3_600_000_000;

/** The trace with its end at the current time while it runs, and the time since its start in µs. */
function useGrowing(tree: TraceTree): { readonly tree: TraceTree; readonly elapsed: number } {
  const isGrowing = useMemo(() => isRunning(tree), [tree]);
  const now = useNow(isGrowing ? 1_000 : 60_000);
  return useMemo(() => {
    const elapsed = Math.max(0, now - Date.parse(tree.header.started_at)) * 1000;
    const last = tree.start.reduce((latest, start) => Math.max(latest, start), tree.length);
    if (!isGrowing || elapsed - last > QUIET_MAX_MICROS) return { tree, elapsed };
    return { tree: { ...tree, length: Math.max(last, elapsed) }, elapsed };
  }, [tree, isGrowing, now]);
}

function Totals({ tree }: { readonly tree: TraceTree }) {
  const errors = tree.errors[0]!;
  const cost = tree.cost[0]!;
  const parts = [
    formatDuration(tree.length / 1000),
    `${formatCount(tree.count)} ${tree.count === 1 ? 'call' : 'calls'}`,
    ...(errors > 0 ? [`${formatCount(errors)} ${errors === 1 ? 'error' : 'errors'}`] : []),
    ...(tree.tokens[0]! > 0 ? [`${formatCount(tree.tokens[0]!)} tokens`] : []),
    ...(Number.isNaN(cost) ? [] : [formatMoney(cost)]),
  ];
  return <span className={css.totals}>{parts.join(' · ')}</span>;
}

/** Places in the payloads of a call, which another call does not have. */
const OF_A_CALL = { path: '', msg: '', open: '', seek: '', whole: '' };

/** Selecting a call changes the address and nothing else: the call, and what is unfolded so that it is seen. */
function useSelect(projectId: string, ofTrace: string): (callId: string, fold: string) => void {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const { traceId } = useParams({ strict: false });
  return (callId, fold) => {
    const isByTrace = traceId !== undefined;
    // Without it the trace would be read and shown again for every call that is selected in it.
    queries.setQueryData(traceIdKey(projectId, callId), ofTrace);
    void navigate({
      to: '.',
      ...(isByTrace ? {} : { params: (params: object) => ({ ...params, callId }) }),
      search: (search: Record<string, string | undefined>) => ({
        ...search,
        ...OF_A_CALL,
        fold,
        ...(isByTrace && { call: callId }),
      }),
      replace: true,
    } as Parameters<typeof navigate>[0]);
  };
}
