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

/** How one can log in. It does not change while the page is open. */
export const loginMethodsQuery = queryOptions({
  queryKey: ['login methods'],
  queryFn: async ({ signal }) => {
    const response = await send('/session/methods', { method: 'GET', signal });
    return (await response.json()) as { readonly openid: string | null };
  },
  staleTime: Infinity,
});

const OPEN_ID_PROBLEMS: Readonly<Record<string, string>> = {
  issuer_unavailable: 'The sign-in service does not respond. Try again later.',
  login_expired: 'The sign-in took too long, or cookies are blocked. Try again.',
  login_refused: 'The sign-in service did not confirm who you are. Try again.',
  no_group: 'You are in no group that may use Heddle. An administrator can add your group.',
  no_user: 'The sign-in service did not send a verified name for you.',
};

/** Why the login by an issuer failed, from the fragment of the address. */
export const openIdProblem = (hash: string): string =>
  OPEN_ID_PROBLEMS[/^#login=(\w+)$/.exec(hash)?.[1] ?? ''] ?? '';

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
