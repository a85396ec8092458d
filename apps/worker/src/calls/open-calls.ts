import type { CallFact } from '@app/events';

/** What this worker has told the log about one call, in the order of telling. */
export interface OpenCall {
  readonly facts: CallFact[];
  /** Nobody else has said anything about the call: known only after it was touched. */
  isWhole: boolean;
}

/**
 * The facts of calls that have begun and not ended, within a bound of bytes: the oldest are forgotten first. A fact is a
 * view into the chunk that brought it, so what counts is the chunk.
 */
export class OpenCalls {
  private readonly calls = new Map<string, OpenCall>();
  private readonly holders = new Map<ArrayBufferLike, number>();
  private bytes = 0;

  constructor(private readonly maxBytes: number) {}

  /** To be called when the facts are in the log and before their call is touched. */
  note(key: string, facts: readonly CallFact[]): OpenCall {
    const known = this.calls.get(key);
    const call = known ?? { facts: [], isWhole: false };
    if (known === undefined) this.calls.set(key, call);
    for (const fact of facts) {
      call.facts.push(fact);
      this.hold(fact.item.buffer);
    }
    return call;
  }

  /** The oldest go, until the rest is within the bound. */
  trim(): void {
    for (const key of this.calls.keys()) {
      if (this.bytes <= this.maxBytes) return;
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
    if (holders === 0) this.bytes += chunk.byteLength;
  }

  private release(chunk: ArrayBufferLike): void {
    const holders = this.holders.get(chunk)! - 1;
    if (holders > 0) this.holders.set(chunk, holders);
    else {
      this.holders.delete(chunk);
      this.bytes -= chunk.byteLength;
    }
  }
}
