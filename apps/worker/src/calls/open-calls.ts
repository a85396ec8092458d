import type { CallFact } from '@app/events';
import { nowMillis, type Millis } from '@app/wire';

/** What this worker has told the log about one call, in the order of telling. */
export interface OpenCall {
  readonly since: Millis;
  readonly facts: CallFact[];
  /** Nobody else has said anything about the call: known only after it was touched. */
  isWhole: boolean;
}

/** A fact, its id and what was read of it, beside its bytes. */
const BYTES_OF_A_FACT = 2048;
/** Longer than a touch is remembered: nothing is to be done with it any more. */
const LONGEST_MS = 20 * 60_000;

/**
 * The facts of calls that have begun and not ended, within a bound of bytes and of time: the oldest are forgotten first. A
 * fact is a view into the chunk that brought it, so what counts is the chunk.
 */
export class OpenCalls {
  private readonly calls = new Map<string, OpenCall>();
  private readonly holders = new Map<ArrayBufferLike, number>();
  private bytes = 0;

  constructor(private readonly maxBytes: number) {}

  /** To be called when the facts are in the log and before their call is touched. */
  note(key: string, facts: readonly CallFact[], now = nowMillis()): OpenCall {
    const known = this.calls.get(key);
    const call = known ?? { since: now, facts: [], isWhole: false };
    if (known === undefined) this.calls.set(key, call);
    for (const fact of facts) {
      call.facts.push(fact);
      this.hold(fact.item.buffer);
    }
    return call;
  }

  /** The oldest go, until the rest is within the bounds. */
  trim(now = nowMillis()): void {
    for (const [key, { since }] of this.calls) {
      if (this.bytes <= this.maxBytes && now - since <= LONGEST_MS) return;
      this.forget(key);
    }
  }

  forget(key: string): void {
    const call = this.calls.get(key);
    if (call === undefined) return;
    this.calls.delete(key);
    for (const { item } of call.facts) this.release(item.buffer);
  }

  get heldBytes(): number {
    return this.bytes;
  }

  private hold(chunk: ArrayBufferLike): void {
    const holders = this.holders.get(chunk) ?? 0;
    this.holders.set(chunk, holders + 1);
    this.bytes += BYTES_OF_A_FACT;
    if (holders === 0) this.bytes += chunk.byteLength;
  }

  private release(chunk: ArrayBufferLike): void {
    const holders = this.holders.get(chunk)! - 1;
    this.bytes -= BYTES_OF_A_FACT;
    if (holders > 0) this.holders.set(chunk, holders);
    else {
      this.holders.delete(chunk);
      this.bytes -= chunk.byteLength;
    }
  }
}
