import { queryOptions } from '@tanstack/react-query';
import { postLines } from '../api/client.js';
import { readPreviews } from '../api/previews.js';
import type { CallsCondition } from '../traces/traces-query.js';

export interface Thread {
  readonly thread_id: string;
  readonly turn_count: number;
  readonly start_time: string;
  readonly last_updated: string;
  readonly last_turn_id: string | null;
  readonly p50_turn_duration_ms: number | null;
  readonly p99_turn_duration_ms: number | null;
}

export const THREADS_PER_PAGE = 50;
export const TURNS_PER_PAGE = 50;
/** The most that a preview has. */
const CHARACTERS = 2_000;

/** One more than a page, so that the page knows whether there are more. */
export const threadsQuery = (projectId: string, page: number, sort: string) =>
  queryOptions({
    queryKey: ['threads', projectId, page, sort],
    queryFn: async ({ signal }) => {
      const threads: Thread[] = [];
      const body = {
        project_id: projectId,
        limit: THREADS_PER_PAGE + 1,
        offset: page * THREADS_PER_PAGE,
        sort_by: [{ field: sort, direction: 'desc' }],
      };
      for await (const thread of postLines<Thread>('/threads/stream_query', body, signal))
        threads.push(thread);
      return threads;
    },
  });

const field = ($getField: string) => ({ $getField });

/** Every call of a thread, for the tail. */
export const callsOfThread = (projectId: string, threadId: string): CallsCondition => ({
  project_id: projectId,
  filter: {},
  query: { $expr: { $eq: [field('thread_id'), { $literal: threadId }] } },
});

export const turnsKey = (projectId: string, threadId: string) =>
  ['turns', projectId, threadId] as const;

/** The calls that open a turn, the oldest first. Spans of an agent have no turns; there it is the roots. */
export const turnsQuery = (projectId: string, threadId: string, page: number) =>
  queryOptions({
    queryKey: [...turnsKey(projectId, threadId), page],
    queryFn: async ({ signal }) => {
      const isTurn = { $eq: [field('id'), field('turn_id')] };
      const isRoot = { $eq: [field('parent_id'), { $literal: null }] };
      const body = {
        project_id: projectId,
        filter: { thread_ids: [threadId] },
        query: { $expr: { $or: [isTurn, isRoot] } },
        sort_by: [{ field: 'started_at', direction: 'asc' }],
        limit: TURNS_PER_PAGE + 1,
        offset: page * TURNS_PER_PAGE,
        characters: CHARACTERS,
      };
      return (await readPreviews(body, false, signal)).calls;
    },
  });
