import type { CallFact } from '@app/events';
import { nowMillis, type Millis } from '@app/wire';

/** The facts of one call that this worker has appended to the log, in that order. */
export interface OpenCall {
  readonly since: Millis;
  readonly facts: CallFact[];
  /** Whether no other worker has facts of the call. Decided when the call is claimed. */
  hasAllFacts: boolean;
}

/** Memory of a fact, its id and its parsed fields, without its bytes. */
const BYTES_PER_FACT = 2048;
/** Longer than Redis keeps a claim: after this the facts are of no use. */
const MAX_AGE_MS = 20 * 60_000;

/**
 * The facts of calls that have started and not ended, up to a limit of bytes and of age. The oldest are dropped first. A
 * fact is a view into the buffer of its chunk, so the limit counts whole chunks.
 */
export class OpenCalls {
  private readonly calls = new Map<string, OpenCall>();
  private readonly references = new Map<ArrayBufferLike, number>();
  private bytes = 0;

  constructor(private readonly maxBytes: number) {}

  /** Call this after the facts are in the log and before their call is claimed. */
  add(key: string, facts: readonly CallFact[], now = nowMillis()): OpenCall {
    const known = this.calls.get(key);
    const call = known ?? { since: now, facts: [], hasAllFacts: false };
    if (known === undefined) this.calls.set(key, call);
    for (const fact of facts) {
      call.facts.push(fact);
      this.retain(fact.item.buffer);
    }
    return call;
  }

  /** Drops the oldest calls until the others are within the limits. */
  trim(now = nowMillis()): void {
    for (const [key, { since }] of this.calls) {
      if (this.bytes <= this.maxBytes && now - since <= MAX_AGE_MS) return;
      this.forget(key);
    }
  }

  forget(key: string): void {
    const call = this.calls.get(key);
    if (call === undefined) return;
    this.calls.delete(key);
    for (const { item } of call.facts) this.release(item.buffer);
  }

  get retainedBytes(): number {
    return this.bytes;
  }

  private retain(chunk: ArrayBufferLike): void {
    const count = this.references.get(chunk) ?? 0;
    this.references.set(chunk, count + 1);
    this.bytes += BYTES_PER_FACT;
    if (count === 0) this.bytes += chunk.byteLength;
  }

  private release(chunk: ArrayBufferLike): void {
    const count = this.references.get(chunk)! - 1;
    this.bytes -= BYTES_PER_FACT;
    if (count > 0) this.references.set(chunk, count);
    else {
      this.references.delete(chunk);
      this.bytes -= chunk.byteLength;
    }
  }
}
