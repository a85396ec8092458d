import { queryOptions } from '@tanstack/react-query';
import { post } from '../api/client.js';

export interface ErasureTarget {
  readonly project_id: string;
  readonly trace_id?: string;
  readonly user?: string;
}

export interface ErasureReport {
  readonly id: string;
  readonly project_id: string;
  readonly trace_id: string | null;
  readonly user: string | null;
  readonly requested_by: string;
  readonly requested_at: string;
  readonly state: 'requested' | 'running' | 'done' | 'failed';
  readonly calls: number;
  readonly files: number;
  readonly rows: Readonly<Record<string, number>>;
  readonly not_reached: readonly string[];
  readonly error: string | null;
}

export const ERASURES_KEY = ['erasures'];
const RUNNING_MS = 2_000;

/** The reports. They are read again while an erasure runs. */
export const erasuresQuery = queryOptions({
  queryKey: ERASURES_KEY,
  queryFn: ({ signal }) =>
    post<{ erasures: readonly ErasureReport[] }>('/admin/erasures/query', {}, signal),
  refetchInterval: ({ state }) =>
    state.data?.erasures.some(({ state: one }) => one === 'requested' || one === 'running') === true
      ? RUNNING_MS
      : false,
});

/** How many calls an erasure would delete. */
export async function previewErasure(
  { project_id, trace_id, user }: ErasureTarget,
  signal: AbortSignal,
): Promise<number> {
  const filter = {
    ...(trace_id !== undefined && { trace_ids: [trace_id] }),
    ...(user !== undefined && { wb_user_ids: [user] }),
  };
  const body = { project_id, filter };
  return (await post<{ count: number }>('/calls/query_stats', body, signal)).count;
}

export const requestErasure = (target: ErasureTarget, confirm: string) =>
  post<ErasureReport>('/admin/erasures', { ...target, confirm });
