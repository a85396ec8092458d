import type { QueryClient } from '@tanstack/react-query';
import { post, send } from '../api/client.js';
import { filterOf, listRequest } from '../traces/traces-query.js';
import { itemsKey, queueKey, queuesKey } from './queues-api.js';

/** What a person decides about a queue. */
export interface QueueRequest {
  readonly name: string;
  readonly description: string;
  readonly scorer_refs: readonly string[];
}

/** Most calls that the server adds in one request. */
export const ADDED_MAX = 1000;

const pathOf = (id: string) => `/annotation_queues/${encodeURIComponent(id)}`;

export const createQueue = (projectId: string, request: QueueRequest) =>
  post<{ readonly id: string }>('/annotation_queues', { project_id: projectId, ...request });

export const changeQueue = (projectId: string, id: string, request: QueueRequest) =>
  send(pathOf(id), { method: 'PUT', body: { project_id: projectId, ...request } });

export const deleteQueue = (projectId: string, id: string) =>
  send(`${pathOf(id)}?project_id=${encodeURIComponent(projectId)}`, { method: 'DELETE' });

export interface AddRequest {
  /** The text of a filter, as the list of traces has it. */
  readonly filter: string;
  readonly calls: string;
  readonly limit: number;
  readonly display_fields: readonly string[];
}

export interface Added {
  readonly added_count: number;
  readonly duplicates: number;
}

/** Adds the newest calls of a filter. Throws the error of a filter that cannot be read. */
export async function addCalls(projectId: string, id: string, request: AddRequest): Promise<Added> {
  const { filter, calls, limit, display_fields } = request;
  const { error } = filterOf(filter);
  if (error !== undefined) throw error;
  const list = listRequest(projectId, { q: filter, calls }, Date.now());
  const found = await post<{ calls: readonly { readonly id: string }[] }>('/calls/query', {
    ...list,
    limit,
    columns: ['id'],
  });
  const call_ids = found.calls.map((call) => call.id);
  if (call_ids.length === 0) return { added_count: 0, duplicates: 0 };
  return post(`${pathOf(id)}/items`, { project_id: projectId, call_ids, display_fields });
}

export const refreshQueue = (queries: QueryClient, projectId: string, id: string) =>
  Promise.all(
    [queuesKey(projectId), queueKey(projectId, id), itemsKey(projectId, id)].map((queryKey) =>
      queries.invalidateQueries({ queryKey }),
    ),
  );
