import type { CallFact } from '@app/events';
import { millisOf, type Millis } from '@app/wire';
import { placementOf } from './call-columns.js';

/** Redis remembers a claim for at least ten minutes. The limits leave three minutes for clocks that differ. */
const MAX_AGE_MS = 5 * 60_000;
/** The clock of a client may be ahead. */
const MAX_AHEAD_MS = 2 * 60_000;
const UUID_OF_TIME = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-/i;

/**
 * Whether these facts belong to a call that began so recently that Redis still remembers every claim on it. Only then does a
 * first claim prove that the log has no other facts of the call. The start time and the time in a UUID of version 7 count.
 */
export function isYoungCall(facts: readonly CallFact[], now: Millis): boolean {
  const isYoung = (beganAt: number) => beganAt >= now - MAX_AGE_MS && beganAt <= now + MAX_AHEAD_MS;
  const starts = facts.filter(hasStart);
  if (starts.length === 0) return false;
  const idTime = timeInId(starts[0]!.callId);
  if (idTime !== undefined && !isYoung(idTime)) return false;
  return starts.every((start) => isYoung(startTime(start)));
}

const hasStart = ({ kind }: CallFact) => kind === 'start' || kind === 'complete';

/** NaN for a start that cannot be parsed. The fold, which comes next, reports it. */
function startTime(start: CallFact): number {
  try {
    return millisOf(placementOf(start).startedAt);
  } catch {
    return NaN;
  }
}

function timeInId(callId: string): number | undefined {
  const [, high, low] = UUID_OF_TIME.exec(callId) ?? [];
  return high === undefined ? undefined : Number.parseInt(`${high}${low}`, 16);
}
