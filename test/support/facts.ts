import type { CallFact, CallFactKind } from '@app/events';
import { micros } from '@app/wire';
import { aStart, anEnd } from './records.js';

type Given = Partial<Omit<CallFact, 'item'>> & { readonly item?: object };

let clock = Date.UTC(2026, 2, 1) * 1000;

/** A fact about a call. Each fact is received one microsecond after the one before, unless the test sets the time. */
export function aFact(kind: CallFactKind, given: Given = {}): CallFact {
  const { projectId = 'acme/demo', callId = 'c1', item = {}, ...rest } = given;
  return {
    kind,
    projectId,
    callId,
    userId: 'ann',
    addsOnly: false,
    receivedAt: micros(clock++),
    chunkId: 'chunk',
    index: 0,
    item: Buffer.from(JSON.stringify(itemOf(kind, { project_id: projectId, id: callId, ...item }))),
    ...rest,
  };
}

function itemOf(kind: CallFactKind, fields: Record<string, unknown>): object {
  switch (kind) {
    case 'start':
      return aStart({ trace_id: 't1', ...fields });
    case 'end':
      return anEnd(fields);
    case 'complete':
      return { ...aStart({ trace_id: 't1', ...fields }), ...anEnd(fields) };
    case 'rename':
      return { project_id: fields['project_id'], call_id: fields['id'], ...fields };
    case 'delete':
      return {};
  }
}
