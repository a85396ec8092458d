import type { Expr } from '@app/query-language/text';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { pathsIn } from '../filter/paths.js';
import type { CallPreview } from '../api/types.js';
import { formatCount } from '../format.js';
import { useKeys } from '../ui/keys.js';
import { copyText, Empty, Problem, useTitle } from '../ui/parts.js';
import { Chips } from './chips.js';
import { columnsOf, pathsOf } from './column-list.js';
import { Facets } from './facets.js';
import { FilterBar } from './filter-bar.js';
import { Footer } from './footer.js';
import { Histogram } from './histogram.js';
import { rememberSearch } from './last-list.js';
import { toggleCondition } from './toggle-condition.js';
import { Toolbar } from './toolbar.js';
import { LIST_ID, TracesTable } from './traces-table.js';
import { conditionOf, filterOf } from './traces-query.js';
import type { SearchChange, TracesSearch } from './traces-search.js';
import {
  overviewKey,
  tracesKey,
  useExplanation,
  useFacets,
  useHistogram,
  useTraces,
} from './use-traces.js';
import { useTail } from './use-tail.js';
import { useViewOfAddress } from './use-views.js';
import css from './traces.module.css';

const BUCKETS = 80;
/** More new calls than this are not counted. */
const NEW_MAX = 1000;
const FACETS_MIN_WIDTH = 900;
/** While calls arrive, the list is read again at most this often, and counts less often. */
const LIST_REFRESH_MS = 500;
const OVERVIEW_REFRESH_MS = 4_000;

export function Traces() {
  const { entity, project } = useParams({ from: '/$entity/$project/weave/traces' });
  const search = useSearch({ from: '/$entity/$project/weave/traces' });
  const projectId = `${entity}/${project}`;
  useTitle(projectId);
  const change = useChangeSearch();
  useEffect(() => rememberSearch(projectId, search), [projectId, search]);
  const [areFacetsShown, setAreFacetsShown] = useState(() => innerWidth >= FACETS_MIN_WIDTH);

  const { error: filterError } = filterOf(search.q);
  const view = useViewOfAddress(projectId, search, change);
  const paths = useMemo(() => pathsOf(columnsOf(search.cols)), [search.cols]);
  const traces = useTraces(projectId, search, paths);
  const explanation = useExplanation(projectId, search, paths, traces.isSuccess);
  const histogram = useHistogram(projectId, search, BUCKETS);
  const facets = useFacets(projectId, search, areFacetsShown);
  const calls = useMemo(() => {
    const seen = new Map(traces.data?.pages.flatMap((page) => page.calls).map((c) => [c.id, c]));
    return [...seen.values()];
  }, [traces.data]);
  const live = useLive(projectId, search, traces.data && calls);
  const found = useMemo(
    () =>
      pathsIn(
        calls.flatMap(({ inputs, output }) => [
          { member: 'inputs', text: inputs.text },
          { member: 'output', text: output.text },
        ]),
      ),
    [calls],
  );
  const onToggle = (condition: Expr) => change({ q: toggleCondition(search.q, condition) });
  useKeys({
    y: () => void copyText(location.href),
    '.': () => change({ live: search.live === 'off' ? undefined : 'off' }),
  });

  return (
    <main id="main" className={css.traces}>
      <h1 className={css.hidden}>Traces of {projectId}</h1>
      <div className={css.top}>
        <FilterBar
          value={search.q ?? ''}
          error={filterError}
          facets={facets.data}
          paths={found}
          onChange={(q) => change({ q })}
        />
        <Chips filter={search.q} onChange={(q) => change({ q })} />
        {view.missing !== undefined && (
          <Problem error={new Error(`There is no saved view called ${view.missing}.`)} />
        )}
        <Toolbar
          projectId={projectId}
          search={search}
          paths={[...found.keys()]}
          tail={live.state}
          areFacetsShown={areFacetsShown}
          onFacets={() => setAreFacetsShown(!areFacetsShown)}
          onChange={change}
        />
        {histogram.data && (
          <Histogram
            data={histogram.data}
            onRange={(from, to) => change({ from, to, last: undefined })}
          />
        )}
      </div>
      <div className={css.body}>
        {areFacetsShown && (
          <aside aria-label="Facets" className={css.facets}>
            {facets.data && <Facets data={facets.data} filter={search.q} onToggle={onToggle} />}
          </aside>
        )}
        <div className={css.list}>
          {live.newCount > 0 && (
            <button type="button" className={css.pill} onClick={live.showNew}>
              {live.newCount < NEW_MAX ? formatCount(live.newCount) : 'many'} new
            </button>
          )}
          {/* While a server restarts, the list stays; the tail says that it reconnects. */}
          {traces.error !== null && traces.data === undefined ? (
            <Problem error={traces.error} retry={() => void traces.refetch()} />
          ) : traces.data === undefined || view.isLoading ? (
            <Empty>Loading…</Empty>
          ) : calls.length === 0 ? (
            <NoTraces search={search} onClear={() => change(NO_CONDITION)} />
          ) : (
            <TracesTable
              projectId={projectId}
              search={search}
              calls={calls}
              paths={paths}
              hasMore={traces.hasNextPage}
              isLoadingMore={traces.isFetchingNextPage}
              onMore={() => void traces.fetchNextPage()}
              onSort={(sort) => change({ sort })}
              onColumns={(cols) => change({ cols })}
              onTop={live.setIsAtTop}
            />
          )}
          <Footer
            search={search}
            shown={calls.length}
            total={histogram.data?.total}
            page={traces.data?.pages[0]}
            explanation={explanation.data}
          />
        </div>
      </div>
    </main>
  );
}

const NO_CONDITION = { q: undefined, from: undefined, to: undefined, last: undefined };

interface NoTracesProps {
  readonly search: TracesSearch;
  readonly onClear: () => void;
}

function NoTraces({ search, onClear }: NoTracesProps) {
  const isFiltered = Boolean(search.q || search.from || search.to || search.last);
  return (
    <Empty>
      {isFiltered ? (
        <>
          <p>No trace matches this filter and time range.</p>
          <button type="button" onClick={onClear}>
            Show all traces
          </button>
        </>
      ) : (
        <p>
          No traces yet. They appear here as soon as an SDK or an OpenTelemetry exporter sends one.
        </p>
      )}
    </Empty>
  );
}

/** Changes the address, which is the state of the list. */
function useChangeSearch() {
  const navigate = useNavigate({ from: '/$entity/$project/weave/traces' });
  return useCallback(
    (change: SearchChange) => {
      void navigate({
        search: (search) =>
          Object.fromEntries(Object.entries({ ...search, ...change }).filter(([, value]) => value)),
      });
    },
    [navigate],
  );
}

/** Reads the list again when calls arrive. Who has scrolled down or paused sees how many are new instead. */
function useLive(
  projectId: string,
  search: TracesSearch,
  shown: readonly CallPreview[] | undefined,
) {
  const queries = useQueryClient();
  const [isAtTop, setIsAtTop] = useState(true);
  const [fresh, setFresh] = useState<ReadonlySet<string>>(new Set());
  const isPaused = search.live === 'off';
  const isStill = isPaused || !isAtTop;
  const refreshList = useCallback(() => {
    setFresh(new Set());
    void queries.invalidateQueries({ queryKey: tracesKey(projectId) });
  }, [queries, projectId]);
  const atMostEvery = useThrottle();
  const onChange = (ids: readonly string[]) => {
    atMostEvery('overview', OVERVIEW_REFRESH_MS, () => {
      void queries.invalidateQueries({ queryKey: overviewKey(projectId) });
    });
    if (isStill) setFresh((before) => new Set([...before, ...ids].slice(0, NEW_MAX)));
    else atMostEvery('list', LIST_REFRESH_MS, refreshList);
  };
  const wasPaused = useRef(isPaused);
  useEffect(() => {
    if (wasPaused.current && !isPaused) refreshList();
    wasPaused.current = isPaused;
  }, [isPaused, refreshList]);
  const isFollowed = shown !== undefined && search.to === undefined;
  const state = useTail(isFollowed ? conditionOf(projectId, search) : undefined, onChange);
  const newCount = useMemo(() => {
    const known = new Set(shown?.map(({ id }) => id));
    return isStill ? [...fresh].filter((id) => !known.has(id)).length : 0;
  }, [shown, fresh, isStill]);
  const showNew = () => {
    document.getElementById(LIST_ID)?.scrollTo({ top: 0 });
    refreshList();
  };
  return { state, setIsAtTop, newCount, showNew };
}

/** Runs at once, and then at most once in a time; what comes in between runs once at the end of it. */
function useThrottle() {
  const jobs = useRef(new Map<string, { at: number; timer?: number | undefined }>());
  useEffect(() => {
    const all = jobs.current;
    return () => all.forEach(({ timer }) => clearTimeout(timer));
  }, []);
  return (name: string, ms: number, run: () => void): void => {
    const job = jobs.current.get(name) ?? { at: -Infinity };
    jobs.current.set(name, job);
    job.timer ??= window.setTimeout(
      () => {
        job.timer = undefined;
        job.at = performance.now();
        run();
      },
      Math.max(0, job.at + ms - performance.now()),
    );
  };
}
