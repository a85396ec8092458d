import { Inject, Injectable } from '@nestjs/common';
import type { WorkerConfig } from '@app/config';
import type { CallFact } from '@app/events';
import { nowMillis, type Millis } from '@app/wire';
import { WORKER_CONFIG } from '../tokens.js';
import { byteGroups, READ_MAX_BYTES } from './byte-groups.js';
import { CallClaims, isYoungCall, type Claim } from './call-claims.js';
import { CallsAwaitingStart } from './calls-awaiting-start.js';
import { CallLog, logKey, type CallKey } from './call-log.writer.js';

/** All facts of one call that were in the log at one time. */
export interface Snapshot {
  readonly key: string;
  readonly facts: readonly CallFact[];
  /** The facts that the flush brought. */
  readonly own: readonly CallFact[];
  /** Whether the facts were read from the log. Otherwise the worker had all of them in memory. */
  readonly wasRead: boolean;
}

/** What this worker knew of a call before it claimed it. */
interface KnownCall {
  readonly key: string;
  readonly own: readonly CallFact[];
  readonly call: OpenCall;
  /** How many of the call's facts were in memory. Another flush may add more before Redis replies to the claim. */
  readonly count: number;
}

/**
 * Provides a snapshot of the log for every call of a flush. The flush appends its facts to the log first, then claims its
 * calls. If it is the first to claim a young call and has the call's start, its own facts are the snapshot. While no other worker
 * claims the call, the facts in this worker's memory are the snapshot. In every other case the snapshot is read from the
 * log. So of any two snapshots of a call one contains the other, and the row with more facts wins.
 */
@Injectable()
export class CallSnapshots {
  private readonly open: OpenCalls;

  constructor(
    private readonly log: CallLog,
    private readonly claims: CallClaims,
    private readonly awaitingStart: CallsAwaitingStart,
    @Inject(WORKER_CONFIG) { openCallsMaxBytes }: Pick<WorkerConfig, 'openCallsMaxBytes'>,
  ) {
    this.open = new OpenCalls(openCallsMaxBytes);
  }

  /**
   * Yields the snapshots in groups whose facts fit into memory together. Usually there is one group; the facts of calls that
   * were read from the log may need more.
   */
  async *of(facts: readonly CallFact[], now = nowMillis()): AsyncGenerator<Snapshot[]> {
    const calls = byCall(facts);
    const known = [...calls].map(([key, own]) => this.remember(key, own, now));
    const claims = await this.claims
      .claim([...calls.keys()], now)
      .finally(() => this.open.trim(now));
    const snapshots: Snapshot[] = [];
    const unread: KnownCall[] = [];
    known.forEach((call, i) => {
      const snapshot = this.fromMemory(call, claims[i]!, now);
      if (snapshot === undefined) unread.push(call);
      else snapshots.push(snapshot);
    });
    if (unread.length === 0) {
      yield snapshots;
      return;
    }
    const withoutStart = unread.filter(({ own }) => !own.some(hasStart));
    await this.awaitingStart.add(
      withoutStart.map(({ key }) => key),
      now,
    );
    const [first, ...others] = await this.groupsOf(unread, bytesIn(snapshots));
    yield [...snapshots, ...(await this.read(first!))];
    for (const group of others) yield this.read(group);
  }

  /** Call this when the calls have rows. */
  recordStarted(snapshots: readonly Snapshot[]): Promise<void> {
    const read = snapshots.filter(({ wasRead }) => wasRead);
    return this.awaitingStart.remove(read.map(({ key }) => key));
  }

  private async groupsOf(unread: readonly KnownCall[], reserved: number): Promise<KnownCall[][]> {
    const sizes = await this.log.bytesOf(unread.map(({ key }) => parseKey(key)));
    return byteGroups(unread, ({ key }) => sizes.get(key) ?? 0, READ_MAX_BYTES, reserved);
  }

  private remember(key: string, own: readonly CallFact[], now: Millis): KnownCall {
    const call = this.open.add(key, own, now);
    return { key, own, call, count: call.facts.length };
  }

  private fromMemory(
    { key, own, call, count }: KnownCall,
    claim: Claim,
    now: Millis,
  ): Snapshot | undefined {
    if (claim !== 'mine')
      call.hasAllFacts = claim === 'first' && count === own.length && isYoungCall(own, now);
    const facts = call.facts.slice(0, count);
    if (!call.hasAllFacts || facts.some(isFinal)) this.open.forget(key);
    return call.hasAllFacts ? { key, facts, own, wasRead: false } : undefined;
  }

  private async read(unread: readonly KnownCall[]): Promise<Snapshot[]> {
    if (unread.length === 0) return [];
    const logged = byCall(await this.log.factsOf(unread.map(({ key }) => parseKey(key))));
    return unread.map(({ key, own }) => ({
      key,
      // Includes the flush's own facts, because the replica that was read may not have them yet.
      facts: [...(logged.get(key) ?? []), ...own],
      own,
      wasRead: true,
    }));
  }
}

export function byCall(facts: readonly CallFact[]): Map<string, CallFact[]> {
  const groups = new Map<string, CallFact[]>();
  for (const fact of facts) {
    const key = keyOf(fact);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [fact]);
    else group.push(fact);
  }
  return groups;
}

const hasStart = ({ kind }: CallFact) => kind === 'start' || kind === 'complete';
const isFinal = ({ kind }: CallFact) => kind !== 'start' && kind !== 'rename';

const keyOf = ({ projectId, callId }: CallFact) => logKey([projectId, callId]);

const bytesIn = (snapshots: readonly Snapshot[]) =>
  snapshots.reduce((sum, { facts }) => sum + bytesOf(facts), 0);
const bytesOf = (facts: readonly CallFact[]) =>
  facts.reduce((sum, { item }) => sum + item.length, 0);

function parseKey(key: string): CallKey {
  const at = key.indexOf('\n');
  return [key.slice(0, at), key.slice(at + 1)];
}

/** The facts of one call that this worker has appended to the log, in that order. */
interface OpenCall {
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
