import { queryOptions } from '@tanstack/react-query';
import { post, send } from '../api/client.js';

export interface ServerHealth {
  readonly lanes: readonly {
    readonly name: string;
    readonly waiting: number;
    readonly active: number;
    readonly delayed: number;
    readonly oldest_seconds: number;
  }[];
  readonly rates: {
    readonly received_per_second: number;
    readonly stored_per_second: number;
    readonly over_seconds: number;
  };
  readonly workers: readonly {
    readonly id: string;
    readonly host: string;
    readonly version: string;
    readonly started_at: string;
  }[];
  readonly disks: readonly {
    readonly name: string;
    readonly free_bytes: number;
    readonly total_bytes: number;
    readonly reserve_bytes: number;
    readonly seconds_left: number;
  }[];
  readonly queue_memory: {
    readonly used_bytes: number;
    readonly refused_at_bytes: number | null;
    readonly seconds_left: number;
  };
  readonly maintenance: readonly {
    readonly name: string;
    readonly every_seconds: number;
    readonly last_started_at: string | null;
    readonly last_took_seconds: number | null;
    readonly last_error: string | null;
    readonly next_at: string | null;
  }[];
}

export interface Ledger {
  readonly checked_at: string | null;
  readonly projects: number;
  readonly received: number;
  readonly settled: number;
  readonly pending: number;
  readonly equations: readonly { readonly equation: string; readonly holds: boolean | null }[];
  readonly broken: readonly {
    readonly project_id: string;
    readonly received: number;
    readonly settled: number;
    readonly pending: number;
    readonly unbalanced_facts: number;
    readonly missing_facts: number;
    readonly stale_calls: number;
    readonly calls_with_other_usage: number;
  }[];
}

export interface RetentionPreview {
  readonly projects: readonly {
    readonly project_id: string;
    readonly retention_days: number | null;
    readonly calls: number;
    readonly feedback_retention_days: number | null;
    readonly feedback: number;
  }[];
  readonly next: string | null;
  readonly next_run_at: string;
}

const HEALTH_MS = 2_000;
const LEDGER_MS = 10_000;

export const healthQuery = queryOptions({
  queryKey: ['health'],
  queryFn: async ({ signal }) => {
    const response = await send('/admin/health', { method: 'GET', signal });
    return (await response.json()) as { readonly server: ServerHealth | null };
  },
  refetchInterval: HEALTH_MS,
});

export const ledgerQuery = queryOptions({
  queryKey: ['ledger'],
  queryFn: ({ signal }) => post<Ledger>('/admin/ledger', {}, signal),
  refetchInterval: LEDGER_MS,
});

export const retentionQuery = queryOptions({
  queryKey: ['retention preview'],
  queryFn: ({ signal }) => post<RetentionPreview>('/admin/retention/preview', {}, signal),
});
