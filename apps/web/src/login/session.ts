import { queryOptions, type QueryClient } from '@tanstack/react-query';
import { ApiError, send } from '../api/client.js';
import type { Role, Session } from '../api/types.js';

/** Signed in, or not with the reason to show. */
type SessionState =
  { readonly session: Session } | { readonly session: undefined; readonly reason: string };

const KEY = ['session'];
/** A revoked key ends the page at the next check, also when its user does nothing. */
const CHECK_MS = 5_000;

export const sessionQuery = queryOptions({
  queryKey: KEY,
  queryFn: readSession,
  staleTime: CHECK_MS,
  refetchInterval: ({ state }) => (state.data?.session === undefined ? false : CHECK_MS),
});

async function readSession({ signal }: { signal: AbortSignal }): Promise<SessionState> {
  try {
    const response = await send('/session', { method: 'GET', signal });
    return { session: (await response.json()) as Session };
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error;
    const hasEnded = error.code === 'session_ended';
    return { session: undefined, reason: hasEnded ? error.message : '' };
  }
}

export async function signIn(queries: QueryClient, key: string): Promise<void> {
  await send('/session', { body: { key } });
  await queries.fetchQuery({ ...sessionQuery, staleTime: 0 });
}

export async function signOut(queries: QueryClient): Promise<void> {
  await send('/session', { method: 'DELETE' });
  endSession(queries, 'You are signed out.');
}

/** Shows the login. Nothing that was read with the old session stays in memory. */
export function endSession(queries: QueryClient, reason: string): void {
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== KEY[0] });
  const ended: SessionState = { session: undefined, reason };
  queries.setQueryData<SessionState>(KEY, () => ended);
}

const WRITERS: readonly Role[] = ['write', 'admin'];

export const mayWrite = (role: Role): boolean => WRITERS.includes(role);
