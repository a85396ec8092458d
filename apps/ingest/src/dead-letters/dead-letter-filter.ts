import { requireAdmin, type Principal } from '@app/auth';
import type { DeadLetterRecord, DeadLettersQueryRequest } from '@app/contracts';
import { micros, parseTimestamp, printTimestamp } from '@app/wire';
import type { DeadLetterFilter, StoredDeadLetter } from './dead-letters.reader.js';

type Filter = Omit<DeadLettersQueryRequest, 'limit'>;

/** The scope of the request. Throws unless the caller administers it. */
export function scopeOf({ scope }: Pick<Filter, 'scope'>, caller: Principal): string {
  const requested = scope ?? caller.scope;
  requireAdmin(caller, requested);
  return requested;
}

export function filterOf(body: Filter, caller: Principal): DeadLetterFilter {
  return {
    scope: scopeOf(body, caller),
    state: body.state ?? 'open',
    kind: body.kind ?? undefined,
    reason: body.reason ?? undefined,
    reasonGroup: body.reason_group ?? undefined,
    receivedBefore: body.received_before ? parseTimestamp(body.received_before) : undefined,
    after: body.after ? cursorIn(body.after) : undefined,
  };
}

function cursorIn(text: string): DeadLetterFilter['after'] {
  const [received, id] = text.split(':') as [string, string];
  return { received, id };
}

/** The cursor of the next page, when this one is full. */
export function nextOf(page: readonly StoredDeadLetter[], limit: number): string | null {
  const last = page.at(-1);
  return last === undefined || page.length < limit ? null : `${last.received}:${last.id}`;
}

export function deadLetterRecord(deadLetter: StoredDeadLetter): DeadLetterRecord {
  const { id, project_id, call_id, kind, reason, user_id, state, received, bytes } = deadLetter;
  const received_at = printTimestamp(micros(Number(received)));
  return {
    ...{ id, project_id, call_id, kind, reason },
    user: user_id,
    received_at,
    state,
    bytes: Number(bytes),
  };
}
