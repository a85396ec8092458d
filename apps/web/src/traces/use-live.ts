import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useQueryClient, type InfiniteData, type QueryClient } from '@tanstack/react-query';
import type { CallPreview } from '../api/types.js';
import { Throttle } from './throttle.js';
import { LIST_ID } from './traces-table.js';
import { conditionOf } from './traces-query.js';
import type { TracesSearch } from './traces-search.js';
import { overviewKey, tracesKey, type TracesPage } from './use-traces.js';
import { useTail } from './use-tail.js';

/** More new calls than this are not counted. */
export const NEW_MAX = 1000;
/** While calls arrive, the list is read again at most this often, and counts less often. */
const LIST_REFRESH_MS = 250;
const OVERVIEW_REFRESH_MS = 4_000;

/** Reads the list again when calls arrive. Who has scrolled down or paused sees how many are new instead. */
export function useLive(
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
    return readFirstPage(queries, projectId);
  }, [queries, projectId]);
  const [throttle] = useState(() => new Throttle());
  useEffect(() => () => throttle.stop(), [throttle]);
  const onChange = (ids: readonly string[]) => {
    throttle.run('overview', OVERVIEW_REFRESH_MS, () =>
      queries.invalidateQueries({ queryKey: overviewKey(projectId) }),
    );
    if (isStill) setFresh((before) => new Set([...before, ...ids].slice(0, NEW_MAX)));
    else throttle.run('list', LIST_REFRESH_MS, refreshList);
  };
  const wasPaused = useRef(isPaused);
  useEffect(() => {
    if (wasPaused.current && !isPaused) void refreshList();
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
    void refreshList();
  };
  return { state, setIsAtTop, newCount, showNew };
}

/** The top of the list is the first page. The others are read again when they are scrolled to. */
function readFirstPage(queries: QueryClient, projectId: string): Promise<void> {
  const filter = { queryKey: tracesKey(projectId) };
  queries.setQueriesData<InfiniteData<TracesPage>>(
    filter,
    (read) => read && { pages: read.pages.slice(0, 1), pageParams: read.pageParams.slice(0, 1) },
  );
  return queries.invalidateQueries(filter);
}
