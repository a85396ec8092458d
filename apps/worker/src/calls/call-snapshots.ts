import { Inject, Injectable } from '@nestjs/common';
import type { WorkerConfig } from '@app/config';
import type { CallFact } from '@app/events';
import { WORKER_CONFIG } from '../tokens.js';
import { CallClaims, type Claim } from './call-claims.js';
import { CallLog, type CallKey } from './call-log.writer.js';
import { OpenCalls, type OpenCall } from './open-calls.js';

/** All facts of one call that the log held at some moment. */
export interface Snapshot {
  readonly key: string;
  readonly facts: readonly CallFact[];
  /** Whether the log was asked; otherwise the worker knew everything there was. */
  readonly wasRead: boolean;
}

/** What was known of a call when it was about to be touched. */
interface Known {
  readonly key: string;
  readonly own: readonly CallFact[];
  readonly call: OpenCall;
  /** How many of the call's facts were known: more may come before the touch is answered. */
  readonly count: number;
}

/**
 * Gives the fold what it needs: for every call of a flush, a snapshot of the log. Facts are in the log before this is
 * asked. The first flush to touch a call, if it holds the start, has the only facts there can be a row of, and so has its
 * worker for as long as nobody else touches the call; everybody else reads. So of any two snapshots of a call one
 * contains the other, and the row that knows more wins.
 */
@Injectable()
export class CallSnapshots {
  private readonly open: OpenCalls;

  constructor(
    private readonly log: CallLog,
    private readonly claims: CallClaims,
    @Inject(WORKER_CONFIG) { openCallsMaxBytes }: Pick<WorkerConfig, 'openCallsMaxBytes'>,
  ) {
    this.open = new OpenCalls(openCallsMaxBytes);
  }

  async of(facts: readonly CallFact[]): Promise<Snapshot[]> {
    const calls = byCall(facts);
    const known = [...calls].map(([key, own]) => this.note(key, own));
    const claims = await this.claims.claim([...calls.keys()]).finally(() => this.open.trim());
    const snapshots: Snapshot[] = [];
    const unknown: Known[] = [];
    known.forEach((one, i) => {
      const snapshot = this.fromMemory(one, claims[i]!);
      if (snapshot === undefined) unknown.push(one);
      else snapshots.push(snapshot);
    });
    return [...snapshots, ...(await this.read(unknown))];
  }

  private note(key: string, own: readonly CallFact[]): Known {
    const call = this.open.note(key, own);
    return { key, own, call, count: call.facts.length };
  }

  private fromMemory({ key, own, call, count }: Known, claim: Claim): Snapshot | undefined {
    if (claim !== 'mine')
      call.isWhole = claim === 'first' && isBeginning(own) && count === own.length;
    const facts = call.facts.slice(0, count);
    if (!call.isWhole || facts.some(isFinal)) this.open.forget(key);
    return call.isWhole ? { key, facts, wasRead: false } : undefined;
  }

  private async read(unknown: readonly Known[]): Promise<Snapshot[]> {
    if (unknown.length === 0) return [];
    const logged = byCall(await this.log.factsOf(unknown.map(({ key }) => parseKey(key))));
    return unknown.map(({ key, own }) => ({
      key,
      // The flush's own facts too, in case a replica that answers has not got them yet.
      facts: [...(logged.get(key) ?? []), ...own],
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

/** Without a start there is no row, and there may be an older one in the log whose touch is long forgotten. */
const isBeginning = (facts: readonly CallFact[]) =>
  facts.some(({ kind }) => kind === 'start' || kind === 'complete');
const isFinal = ({ kind }: CallFact) => kind !== 'start' && kind !== 'rename';

/** A project id has one slash and no line break, so the first line break parts the two. */
const keyOf = ({ projectId, callId }: CallFact) => `${projectId}\n${callId}`;

function parseKey(key: string): CallKey {
  const at = key.indexOf('\n');
  return [key.slice(0, at), key.slice(at + 1)];
}
