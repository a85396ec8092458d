import { queryOptions } from '@tanstack/react-query';
import { post } from '../api/client.js';

export const KINDS = ['cost', 'error_rate', 'latency', 'dead_letters', 'no_data'] as const;
export type AlertKind = (typeof KINDS)[number];

export interface Alert {
  readonly id: string;
  readonly name: string;
  readonly kind: AlertKind;
  readonly threshold: string | null;
  readonly percentile: number | null;
  readonly window_minutes: number | null;
  readonly op: string | null;
  readonly is_enabled: boolean;
  readonly webhook: string | null;
  readonly created_by: string;
  readonly state: 'ok' | 'firing' | 'no_data' | 'error' | null;
  readonly since: string | null;
  readonly value: string | null;
  readonly message: string | null;
  readonly evaluated_at: string | null;
}

/** The only response that has the secret of a webhook. */
export interface NewAlert extends Alert {
  readonly secret: string | null;
}

export interface AlertEvent {
  readonly id: string;
  readonly at: string;
  readonly from: string | null;
  readonly to: string;
  readonly value: string | null;
  readonly message: string | null;
  readonly delivery: {
    readonly status: 'pending' | 'delivered' | 'failed';
    readonly attempts: number;
    readonly next_at: string | null;
    readonly error: string | null;
  } | null;
}

export interface TestResult {
  readonly is_delivered: boolean;
  readonly status: number | null;
  readonly took_ms: number;
  readonly error: string | null;
}

export interface AlertRequest {
  readonly name?: string;
  readonly kind?: AlertKind;
  readonly threshold?: number;
  readonly percentile?: number;
  readonly window_minutes?: number;
  readonly op?: string;
  readonly webhook_url?: string;
  readonly is_enabled?: boolean;
  readonly rotate_secret?: boolean;
}

export const ALERTS_KEY = 'alerts';
const REFRESH_MS = 5_000;

export const alertsQuery = (project_id: string) =>
  queryOptions({
    queryKey: [ALERTS_KEY, project_id],
    queryFn: async ({ signal }) => {
      const body = { project_id };
      const { alerts } = await post<{ readonly alerts: readonly Alert[] }>(
        '/alerts/query',
        body,
        signal,
      );
      return alerts;
    },
    refetchInterval: REFRESH_MS,
  });

export const historyQuery = (project_id: string, id: string) =>
  queryOptions({
    queryKey: [ALERTS_KEY, project_id, 'history', id],
    queryFn: async ({ signal }) => {
      const { events } = await post<{ readonly events: readonly AlertEvent[] }>(
        '/alerts/history',
        { project_id, id },
        signal,
      );
      return events;
    },
    refetchInterval: REFRESH_MS,
  });

export const createAlert = (project_id: string, request: AlertRequest) =>
  post<NewAlert>('/alerts/create', { project_id, ...request });
export const updateAlert = (project_id: string, id: string, request: AlertRequest) =>
  post<NewAlert>('/alerts/update', { project_id, id, ...request });
export const deleteAlert = (project_id: string, id: string) =>
  post<Alert>('/alerts/delete', { project_id, id });
export const testAlert = (project_id: string, id: string) =>
  post<TestResult>('/alerts/test', { project_id, id });
