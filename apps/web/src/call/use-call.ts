import { queryOptions, useQuery } from '@tanstack/react-query';
import { post, postLines } from '../api/client.js';
import type { Feedback } from '../api/types.js';
import { readPayload } from './payload.js';

export type Member = 'inputs' | 'output' | 'attributes' | 'summary';

export interface ModelCost {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  readonly prompt_token_cost: number;
  readonly completion_token_cost: number;
  readonly prompt_tokens_total_cost: number;
  readonly completion_tokens_total_cost: number;
  readonly cache_read_input_tokens_total_cost: number;
  readonly cache_creation_input_tokens_total_cost: number;
  readonly pricing_level: string;
  readonly effective_date: string;
}

/** A call without its payloads. */
export interface CallFacts {
  readonly id: string;
  readonly op_name: string;
  readonly display_name: string | null;
  readonly trace_id: string;
  readonly parent_id: string | null;
  readonly thread_id: string | null;
  readonly started_at: string;
  readonly ended_at: string | null;
  readonly exception: string | null;
  readonly wb_user_id: string | null;
  readonly wb_run_id: string | null;
  readonly summary: {
    readonly weave?: { readonly costs?: Readonly<Record<string, ModelCost>> };
  } | null;
}

export function useCallFacts(projectId: string, callId: string) {
  return useQuery({
    queryKey: ['call', projectId, callId],
    queryFn: async ({ signal }): Promise<CallFacts | null> => {
      const body = {
        project_id: projectId,
        filter: { call_ids: [callId] },
        columns: ['exception', 'summary', 'thread_id', 'wb_user_id', 'wb_run_id', 'display_name'],
        include_costs: true,
        limit: 1,
      };
      for await (const call of postLines<CallFacts>('/calls/stream_query', body, signal)) {
        return call;
      }
      return null;
    },
    refetchInterval: ({ state }) => (state.data?.ended_at === null ? 2_000 : false),
  });
}

/** The first part of a payload. */
export const payloadQuery = (projectId: string, id: string, member: Member) =>
  queryOptions({
    queryKey: ['payload', projectId, id, member],
    queryFn: ({ signal }) => readPayload({ project_id: projectId, id, member }, false, signal),
    staleTime: 60_000,
  });

const callRef = (projectId: string, callId: string) => `weave:///${projectId}/call/${callId}`;

export const feedbackKey = (projectId: string, callId: string) =>
  ['feedback', projectId, callId] as const;

export function useFeedback(projectId: string, callId: string, isRead: boolean) {
  return useQuery({
    enabled: isRead,
    queryKey: feedbackKey(projectId, callId),
    queryFn: async ({ signal }): Promise<readonly Feedback[]> => {
      const isOfCall = {
        $eq: [{ $getField: 'weave_ref' }, { $literal: callRef(projectId, callId) }],
      };
      const { result } = await post<{ result: readonly Feedback[] }>(
        '/feedback/query',
        {
          project_id: projectId,
          query: { $expr: isOfCall },
          sort_by: [{ field: 'created_at', direction: 'asc' }],
          limit: 200,
        },
        signal,
      );
      return result;
    },
  });
}

export async function createFeedback(
  projectId: string,
  callId: string,
  feedback: Pick<Feedback, 'id' | 'feedback_type' | 'payload'> & {
    readonly annotation_ref?: string;
    readonly queue_id?: string;
  },
): Promise<void> {
  await post('/feedback/create', {
    project_id: projectId,
    weave_ref: callRef(projectId, callId),
    ...feedback,
  });
}

export async function removeFeedback(projectId: string, id: string): Promise<void> {
  const isIt = { $eq: [{ $getField: 'id' }, { $literal: id }] };
  await post('/feedback/purge', { project_id: projectId, query: { $expr: isIt } });
}
