import type { CallFact, CallFactKind, Fact, FactOrigin } from './call.events.js';
import { readCallItem, type CallItem } from './call-item.js';
import type { Micros } from '@app/wire';

/** What was computed of a fact: its id and its record, which the log, the fold and the receipt all need. */
interface FactMemory {
  id: string | undefined;
  record: CallItem | undefined;
}

/** Of facts that are plain objects. */
const memories = new WeakMap<Fact, FactMemory>();

/** A fact of a chunk or of the log. It has its memory itself, because a WeakMap of all facts costs more; a copy of it begins without one. */
export class DecodedFact implements CallFact {
  readonly #memory: FactMemory = { id: undefined, record: undefined };

  constructor(
    readonly kind: CallFactKind,
    readonly projectId: string,
    readonly callId: string,
    readonly userId: string,
    readonly addsOnly: boolean,
    readonly origin: FactOrigin | undefined,
    readonly receivedAt: Micros,
    readonly chunkId: string,
    readonly index: number,
    readonly item: Buffer,
  ) {}

  static memoryOf(fact: Fact): FactMemory | undefined {
    return #memory in fact ? fact.#memory : undefined;
  }
}

export function memoryOf(fact: Fact): FactMemory {
  const known = DecodedFact.memoryOf(fact) ?? memories.get(fact);
  if (known !== undefined) return known;
  const memory: FactMemory = { id: undefined, record: undefined };
  memories.set(fact, memory);
  return memory;
}

/** The record of a fact. It is parsed once. */
export function itemOf(fact: CallFact): CallItem {
  return (memoryOf(fact).record ??= readCallItem(fact.item));
}
