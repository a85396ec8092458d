import { queryOptions, type QueryClient } from '@tanstack/react-query';
import { post, send } from '../api/client.js';
import type { Edit } from './part-edit.js';

export type DeadLetterState = 'open' | 'replayed' | 'dropped';

export interface DeadLetter {
  readonly id: string;
  readonly project_id: string;
  readonly call_id: string;
  readonly kind: string;
  readonly reason: string;
  readonly user: string;
  readonly received_at: string;
  readonly state: DeadLetterState;
  readonly bytes: number;
}

export interface DeadLetterWithItem extends DeadLetter {
  /** A part of the item, from the byte `offset`. */
  readonly item: string;
  readonly offset: number;
  readonly next_offset: number | null;
  readonly is_whole: boolean;
}

export interface ReasonGroup {
  readonly kind: string;
  readonly reason_group: string;
  readonly count: number;
  readonly bytes: number;
}

interface DeadLetters {
  readonly reasons: readonly ReasonGroup[];
  readonly dead_letters: readonly DeadLetter[];
  readonly next: string | null;
}

export interface Outcome {
  readonly id: string;
  readonly outcome: 'replayed' | 'rejected' | 'refused';
  readonly reason: string | null;
}

interface Replayed {
  readonly outcomes: readonly Outcome[];
  readonly next: string | null;
}

interface Dropped {
  readonly dropped: readonly string[];
  readonly next: string | null;
}

/** A group of reasons: `query` returns both. */
export interface Group {
  readonly kind: string;
  readonly reason_group: string;
}

const KEY = 'dead letters';
const REFRESH_MS = 5_000;
const LISTED = 100;

export const deadLettersQuery = (state: DeadLetterState, group?: Group) =>
  queryOptions({
    queryKey: [KEY, state, group ?? null],
    queryFn: ({ signal }) =>
      post<DeadLetters>('/admin/dead-letters/query', { state, ...group, limit: LISTED }, signal),
    refetchInterval: REFRESH_MS,
  });

export const deadLetterQuery = (id: string, offset = 0) =>
  queryOptions({
    queryKey: [KEY, id, offset],
    queryFn: ({ signal }) =>
      post<DeadLetterWithItem>('/admin/dead-letters/read', { id, offset }, signal),
  });

/** The byte where the text begins, from a byte on. The server searches, so that the page never has all of the item. */
export const findInItem = (id: string, text: string, offset: number) =>
  post<{ readonly offset: number | null }>('/admin/dead-letters/find', { id, text, offset });

export const refreshDeadLetters = (queries: QueryClient) =>
  queries.invalidateQueries({ queryKey: [KEY] });

export interface Checked {
  readonly is_accepted: boolean;
  readonly reason: string | null;
}

/** All of a corrected item, or the bytes that change. */
export type Correction = { readonly item: string } | { readonly edits: readonly Edit[] };

/** Without a correction the dead letter is checked as it is. */
export const checkDeadLetter = (id: string, correction?: Correction) =>
  post<Checked>('/admin/dead-letters/check', { id, ...correction });

export async function replayDeadLetter(id: string, correction?: Correction): Promise<Outcome> {
  const body = { ids: [id], ...correction };
  const { outcomes } = await post<Replayed>('/admin/dead-letters/replay', body);
  return outcomes[0]!;
}

export const dropDeadLetter = (id: string) =>
  post<Dropped>('/admin/dead-letters/drop', { ids: [id] });

export async function readContent(id: string): Promise<Blob> {
  return (await send('/admin/dead-letters/content', { body: { id } })).blob();
}

export interface BulkProgress {
  readonly done: number;
  readonly left: number;
  /** Why the first of those that are left stays open. */
  readonly reason: string | null;
}

/** Replays or drops a whole group, a page at a time. New dead letters of the same reason are not included. */
export async function* inBulk(
  action: 'replay' | 'drop',
  group: Group,
  signal: AbortSignal,
): AsyncGenerator<BulkProgress, void> {
  const filter = { ...group, received_before: new Date().toISOString() };
  let progress: BulkProgress = { done: 0, left: 0, reason: null };
  for (let after: string | null = null; ;) {
    const body: object = { ...filter, ...(after !== null && { after }) };
    const page: Replayed | Dropped = await post(`/admin/dead-letters/${action}`, body, signal);
    progress = added(progress, page);
    yield progress;
    if (page.next === null) return;
    after = page.next;
  }
}

function added({ done, left, reason }: BulkProgress, page: Replayed | Dropped): BulkProgress {
  if ('dropped' in page) return { done: done + page.dropped.length, left, reason };
  const open = page.outcomes.filter(({ outcome }) => outcome !== 'replayed');
  return {
    done: done + page.outcomes.length - open.length,
    left: left + open.length,
    reason: reason ?? open[0]?.reason ?? null,
  };
}
