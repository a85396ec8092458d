import { Injectable } from '@nestjs/common';
import { StoreRefused } from '@app/clickhouse';
import type { CallFact, Fact, RejectedFact } from '@app/events';
import { DeadLetters } from '../dead-letters.writer.js';
import { CallLog, type CallKey } from './call-log.writer.js';
import { foldCall } from './call.projection.js';
import { CallsWriter } from './calls.writer.js';

/** Facts of many jobs → log → rows. In this order, so that every row is the fold of a snapshot of the log. */
@Injectable()
export class CallsFlush {
  constructor(
    private readonly log: CallLog,
    private readonly calls: CallsWriter,
    private readonly deadLetters: DeadLetters,
  ) {}

  /** Resolves when every fact is stored, in its call or among the dead letters. May be repeated. */
  async write(facts: readonly Fact[]): Promise<void> {
    const rejected = facts.filter((fact): fact is RejectedFact => fact.kind === 'rejected');
    const accepted = facts.filter((fact): fact is CallFact => fact.kind !== 'rejected');
    await this.deadLetters.write(rejected.map((fact) => ({ fact, reason: fact.reason })));
    await this.writeOrSplit(accepted);
  }

  /** A store that refuses for ever refuses one fact's content: halve until that one stands alone. */
  private async writeOrSplit(facts: readonly CallFact[]): Promise<void> {
    try {
      await this.project(facts);
    } catch (error) {
      if (!(error instanceof StoreRefused)) throw error;
      if (facts.length === 1) {
        await this.deadLetters.write([{ fact: facts[0]!, reason: error.message }]);
        return;
      }
      const middle = facts.length >>> 1;
      await this.writeOrSplit(facts.slice(0, middle));
      await this.writeOrSplit(facts.slice(middle));
    }
  }

  private async project(facts: readonly CallFact[]): Promise<void> {
    if (facts.length === 0) return;
    await this.log.append(facts);
    const known = await this.log.factsOf([...byCall(facts).values()].map(([fact]) => keyOf(fact!)));
    // The flush's own facts are folded in too, in case a replica that answers has not got them yet.
    const calls = byCall([...known, ...facts]);
    await this.calls.write([...calls.values()].flatMap((ofOne) => foldCall(ofOne)));
  }
}

const keyOf = ({ projectId, callId }: CallFact): CallKey => [projectId, callId];

function byCall(facts: readonly CallFact[]): Map<string, CallFact[]> {
  const groups = new Map<string, CallFact[]>();
  for (const fact of facts) {
    const key = JSON.stringify(keyOf(fact));
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [fact]);
    else group.push(fact);
  }
  return groups;
}
