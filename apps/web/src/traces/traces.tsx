import type { Expr } from '@app/query-language/text';
import { useCallback, useEffect, useMemo } from 'react';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { pathsIn } from '../filter/paths.js';
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
import { TracesTable } from './traces-table.js';
import { filterOf } from './traces-query.js';
import type { SearchChange, TracesSearch } from './traces-search.js';
import { NEW_MAX, useLive } from './use-live.js';
import { useExplanation, useFacets, useHistogram, useTraces } from './use-traces.js';
import { useViewOfAddress } from './use-views.js';
import css from './traces.module.css';

const BUCKETS = 80;
const FACETS_MIN_WIDTH = 900;

export function Traces() {
  const { entity, project } = useParams({ from: '/$entity/$project/weave/traces' });
  const search = useSearch({ from: '/$entity/$project/weave/traces' });
  const projectId = `${entity}/${project}`;
  useTitle(projectId);
  const change = useChangeSearch();
  useEffect(() => rememberSearch(projectId, search), [projectId, search]);
  const areFacetsUsual = innerWidth >= FACETS_MIN_WIDTH;
  const areFacetsShown = search.facets === undefined ? areFacetsUsual : search.facets === 'on';

  const { error: filterError } = filterOf(search.q);
  const view = useViewOfAddress(projectId, search, change);
  const paths = useMemo(() => pathsOf(columnsOf(search.cols)), [search.cols]);
  const traces = useTraces(projectId, search, paths);
  // The list comes first: what is read beside it would only delay it.
  const isListRead = !traces.isPlaceholderData && !traces.isPending;
  const explanation = useExplanation(projectId, search, paths, isListRead && traces.isSuccess);
  const histogram = useHistogram(projectId, search, BUCKETS, isListRead);
  const facets = useFacets(projectId, search, isListRead && areFacetsShown);
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
          onFacets={() => change({ facets: areFacetsShown ? 'off' : 'on' })}
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
            total={histogram.isPlaceholderData ? undefined : histogram.data?.total}
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
