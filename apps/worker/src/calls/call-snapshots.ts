import { Injectable } from '@nestjs/common';
import type { CallFact } from '@app/events';
import { TouchedCalls } from '@app/queue';
import { CallLog, type CallKey } from './call-log.writer.js';

/** All facts of one call that the log held at some moment. */
export interface Snapshot {
  readonly key: string;
  readonly facts: readonly CallFact[];
  /** Whether the log was asked; otherwise the flush knew everything there was. */
  readonly wasRead: boolean;
}

/**
 * Gives the fold what it needs: for every call of a flush, a snapshot of the log. Facts are in the log before this is
 * asked. The first flush to touch a call, if it holds the start, has the only facts there can be a row of; everybody
 * else reads. So of any two snapshots of a call one contains the other, and the row that knows more wins.
 */
@Injectable()
export class CallSnapshots {
  constructor(
    private readonly log: CallLog,
    private readonly touched: TouchedCalls,
  ) {}

  async of(facts: readonly CallFact[]): Promise<Snapshot[]> {
    const calls = byCall(facts);
    const keys = [...calls.keys()];
    const isFirst = await this.touched.touch(keys);
    const known: Snapshot[] = [];
    const unknown: string[] = [];
    keys.forEach((key, i) => {
      const own = calls.get(key)!;
      if (isFirst[i] && own.some(hasStart)) known.push({ key, facts: own, wasRead: false });
      else unknown.push(key);
    });
    return [...known, ...(await this.read(unknown, calls))];
  }

  private async read(keys: readonly string[], own: Map<string, CallFact[]>): Promise<Snapshot[]> {
    if (keys.length === 0) return [];
    const logged = byCall(await this.log.factsOf(keys.map(parseKey)));
    return keys.map((key) => ({
      key,
      // The flush's own facts too, in case a replica that answers has not got them yet.
      facts: [...(logged.get(key) ?? []), ...(own.get(key) ?? [])],
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

/** A project id has one slash and no line break, so the first line break parts the two. */
const keyOf = ({ projectId, callId }: CallFact) => `${projectId}\n${callId}`;

export function parseKey(key: string): CallKey {
  const at = key.indexOf('\n');
  return [key.slice(0, at), key.slice(at + 1)];
}
