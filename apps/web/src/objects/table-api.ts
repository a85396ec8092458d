import { queryOptions } from '@tanstack/react-query';
import { post, postLines } from '../api/client.js';

export interface TableRow {
  readonly digest: string;
  readonly val: unknown;
  readonly original_index: number;
}

export interface TableSort {
  readonly field: string;
  readonly direction: 'asc' | 'desc';
}

export interface TableId {
  readonly projectId: string;
  readonly digest: string;
}

/** Rows of one request. */
export const ROWS_PER_REQUEST = 50;

const bodyOf = ({ projectId, digest }: TableId, sort: TableSort | undefined) => ({
  project_id: projectId,
  digest,
  ...(sort && { sort_by: [sort] }),
});

export const tableCountQuery = ({ projectId, digest }: TableId) =>
  queryOptions({
    queryKey: ['table count', projectId, digest],
    staleTime: Infinity,
    queryFn: async ({ signal }) => {
      const body = { project_id: projectId, digest };
      return (await post<{ count: number }>('/table/query_stats', body, signal)).count;
    },
  });

/** The rows from `page * ROWS_PER_REQUEST` on. */
export const tableRowsQuery = (table: TableId, sort: TableSort | undefined, page: number) =>
  queryOptions({
    queryKey: ['table rows', table, sort ?? null, page],
    staleTime: Infinity,
    queryFn: async ({ signal }) => {
      const body = {
        ...bodyOf(table, sort),
        limit: ROWS_PER_REQUEST,
        offset: page * ROWS_PER_REQUEST,
      };
      return (await post<{ rows: readonly TableRow[] }>('/table/query', body, signal)).rows;
    },
  });

/** All rows as they arrive, in the order of the sort. */
export const tableRows = (table: TableId, sort: TableSort | undefined, signal: AbortSignal) =>
  postLines<TableRow>('/table/query_stream', bodyOf(table, sort), signal);

/** Some rows by digest. */
export async function rowsByDigest(
  table: TableId,
  row_digests: readonly string[],
  signal: AbortSignal,
): Promise<readonly TableRow[]> {
  if (row_digests.length === 0) return [];
  const body = { ...bodyOf(table, undefined), filter: { row_digests }, limit: row_digests.length };
  return (await post<{ rows: readonly TableRow[] }>('/table/query', body, signal)).rows;
}
