import { allOf, type Expr } from '@app/query-language/text';
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { post } from '../api/client.js';
import { readPreviews, type Previews } from '../api/previews.js';
import type { Facets, Histogram } from '../api/types.js';
import {
  afterCall,
  conditionOf,
  filterOf,
  listRequest,
  rangeOf,
  searchedText,
  sortOf,
} from './traces-query.js';
import type { TracesSearch } from './traces-search.js';

const PAGE_SIZE = 100;
const PREVIEW_CHARACTERS = 200;
const FACET_FIELDS = ['summary.weave.status', 'op_name', 'model', 'wb_user_id'];
const FACET_VALUES = 8;

export interface TracesPage extends Pick<Previews, 'calls'> {
  readonly tookMs: number;
}

/** What a query is about. Widths of columns and the live state change what is shown, not what is read. */
const keyOf = ({ q, from, to, last, calls }: TracesSearch) => ({ q, from, to, last, calls });

export const tracesKey = (projectId: string) => ['traces', projectId] as const;
export const overviewKey = (projectId: string) => ['overview', projectId] as const;

type PageStart = { readonly offset: number; readonly after?: Expr };

const FIRST_PAGE: PageStart = { offset: 0 };

export function useTraces(projectId: string, search: TracesSearch, paths: readonly string[]) {
  return useInfiniteQuery({
    queryKey: [...tracesKey(projectId), keyOf(search), search.sort, paths],
    queryFn: ({ pageParam, signal }) => readPage(projectId, search, paths, pageParam, signal),
    initialPageParam: FIRST_PAGE,
    getNextPageParam: ({ calls }, pages): PageStart | undefined => {
      if (calls.length < PAGE_SIZE) return undefined;
      const after = afterCall(sortOf(search.sort), calls.at(-1)!);
      return after === undefined ? { offset: pages.length * PAGE_SIZE } : { offset: 0, after };
    },
    placeholderData: keepPreviousData,
  });
}

async function readPage(
  projectId: string,
  search: TracesSearch,
  paths: readonly string[],
  start: PageStart,
  signal: AbortSignal,
): Promise<TracesPage> {
  const started = performance.now();
  const request = pageRequest(projectId, search, paths, start);
  const { calls } = await readPreviews(request, false, signal);
  return { calls, tookMs: performance.now() - started };
}

/** What the server does for the first page. It is read once, after the list: an explanation takes as long as the list. */
export function useExplanation(
  projectId: string,
  search: TracesSearch,
  paths: readonly string[],
  isLoaded: boolean,
) {
  return useQuery({
    queryKey: ['explanation', projectId, keyOf(search), search.sort, paths],
    queryFn: async ({ signal }) => {
      const request = pageRequest(projectId, search, paths, FIRST_PAGE);
      return (await readPreviews(request, true, signal)).explanation ?? [];
    },
    enabled: isLoaded,
    staleTime: Infinity,
  });
}

function pageRequest(
  projectId: string,
  search: TracesSearch,
  paths: readonly string[],
  { offset, after }: PageStart,
) {
  const { query, ...list } = listRequest(projectId, search, Date.now());
  const expr = allOf([query?.$expr, after]);
  const highlight = searchedText(filterOf(search.q).expr);
  return {
    ...list,
    ...(expr && { query: { $expr: expr } }),
    limit: PAGE_SIZE,
    offset,
    characters: PREVIEW_CHARACTERS,
    columns: paths,
    ...(highlight !== undefined && { highlight }),
  };
}

export function useHistogram(
  projectId: string,
  search: TracesSearch,
  buckets: number,
  isWanted: boolean,
) {
  return useQuery({
    enabled: isWanted,
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

export function useFacets(projectId: string, search: TracesSearch, isWanted: boolean) {
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
    enabled: isWanted,
    placeholderData: keepPreviousData,
  });
}
