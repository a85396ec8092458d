import { queryOptions, type QueryClient } from '@tanstack/react-query';
import { post } from '../api/client.js';
import type { Role } from '../api/types.js';

export interface KeyRecord {
  readonly id: string;
  readonly user: string;
  readonly scope: string;
  readonly role: Role;
  readonly name: string | null;
  readonly created_at: string | null;
  readonly created_by: string | null;
  readonly last_used_at: string | null;
  readonly addresses: readonly string[] | null;
  readonly ends_at: string | null;
}

/** The only response that has the key itself. */
export interface NewKey extends KeyRecord {
  readonly key: string;
}

const KEY = 'keys';
const REFRESH_MS = 15_000;

export const keysQuery = queryOptions({
  queryKey: [KEY],
  queryFn: ({ signal }) =>
    post<{ readonly keys: readonly KeyRecord[] }>('/admin/keys/list', {}, signal),
  refetchInterval: REFRESH_MS,
});

export const refreshKeys = (queries: QueryClient) => queries.invalidateQueries({ queryKey: [KEY] });

export interface KeyRequest {
  readonly user: string;
  readonly scope: string;
  readonly role: Role;
  readonly name?: string;
  readonly ends_in_seconds?: number;
}

export const createKey = (request: KeyRequest) => post<NewKey>('/admin/keys/create', request);
export const rotateKey = (id: string, grace_seconds: number) =>
  post<NewKey>('/admin/keys/rotate', { id, grace_seconds });
export const revokeKey = (id: string) => post<KeyRecord>('/admin/keys/revoke', { id });
