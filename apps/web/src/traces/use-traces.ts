import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { post } from '../api/client.js';
import { readPreviews } from '../api/interim.js';
import type { CallPreview, Facets, Histogram } from '../api/types.js';
import { conditionOf, listRequest, rangeOf } from './traces-query.js';
import type { TracesSearch } from './traces-search.js';

const PAGE_SIZE = 100;
const PREVIEW_CHARACTERS = 200;
const FACET_FIELDS = ['summary.weave.status', 'op_name', 'model', 'wb_user_id'];
const FACET_VALUES = 8;

export interface TracesPage {
  readonly calls: readonly CallPreview[];
  readonly tookMs: number;
}

/** What a query is about. Columns and the live state change what is shown, not what is read. */
const keyOf = ({ q, from, to, last, calls }: TracesSearch) => ({ q, from, to, last, calls });

export const tracesKey = (projectId: string) => ['traces', projectId] as const;
export const overviewKey = (projectId: string) => ['overview', projectId] as const;

export function useTraces(projectId: string, search: TracesSearch) {
  return useInfiniteQuery({
    queryKey: [...tracesKey(projectId), keyOf(search), search.sort],
    queryFn: ({ pageParam, signal }) => readPage(projectId, search, pageParam, signal),
    initialPageParam: 0,
    getNextPageParam: (page, pages) =>
      page.calls.length < PAGE_SIZE ? undefined : pages.length * PAGE_SIZE,
    placeholderData: keepPreviousData,
  });
}

async function readPage(
  projectId: string,
  search: TracesSearch,
  offset: number,
  signal: AbortSignal,
): Promise<TracesPage> {
  const started = performance.now();
  const calls: CallPreview[] = [];
  const request = {
    ...listRequest(projectId, search, Date.now()),
    limit: PAGE_SIZE,
    offset,
  };
  for await (const call of readPreviews(request, PREVIEW_CHARACTERS, signal)) {
    calls.push(call);
  }
  return { calls, tookMs: performance.now() - started };
}

export function useHistogram(projectId: string, search: TracesSearch, buckets: number) {
  return useQuery({
    queryKey: [...overviewKey(projectId), 'histogram', keyOf(search), buckets],
    queryFn: ({ signal }) =>
      post<Histogram>(
        '/calls/histogram',
        { ...conditionOf(projectId, search), ...rangeOf(search, Date.now()), buckets },
        signal,
      ),
    placeholderData: keepPreviousData,
  });
}

export function useFacets(projectId: string, search: TracesSearch, isShown: boolean) {
  return useQuery({
    queryKey: [...overviewKey(projectId), 'facets', keyOf(search)],
    queryFn: ({ signal }) =>
      post<Facets>(
        '/calls/facets',
        {
          ...conditionOf(projectId, search),
          ...rangeOf(search, Date.now()),
          fields: FACET_FIELDS,
          limit: FACET_VALUES,
        },
        signal,
      ),
    enabled: isShown,
    placeholderData: keepPreviousData,
  });
}
