import { queryOptions } from '@tanstack/react-query';
import { post } from '../api/client.js';
import type { ProjectSummary } from '../api/types.js';

interface Projects {
  readonly projects: readonly ProjectSummary[];
  readonly next: string | null;
}

const SHOWN_MAX = 1000;
/** While there is nothing to show, the first trace must appear soon. */
const EMPTY_REFRESH_MS = 1_500;
const REFRESH_MS = 15_000;

export const projectsQuery = queryOptions({
  queryKey: ['projects'],
  queryFn: ({ signal }) => post<Projects>('/projects/query', { limit: SHOWN_MAX }, signal),
  refetchInterval: ({ state }) =>
    state.data?.projects.length === 0 ? EMPTY_REFRESH_MS : REFRESH_MS,
});
