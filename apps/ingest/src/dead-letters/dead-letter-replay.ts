import { Injectable } from '@nestjs/common';
import { admin, covers, EVERYTHING } from '@app/auth';
import { OTHER_USER, type CallFactKind, type NewFact } from '@app/events';
import { ProblemError } from '@app/http';
import {
  batchFacts,
  completedFacts,
  type Accepted,
  type IngestContext,
} from '../calls/call-facts.js';
import { CallIntake } from '../calls/call-intake.js';
import type { StoredDeadLetter } from './dead-letters.reader.js';
import { replayRefusal } from './replay-refusal.js';

/** How the replay of a dead letter ended, and why. */
export interface ReplayOutcome {
  /** `rejected`: ingest does not accept the item. `refused`: it cannot be sent at all. */
  readonly state: 'replayed' | 'rejected' | 'refused';
  /** Empty when replayed. */
  readonly reason: string;
}

export interface ReplayOptions {
  /** Facts about other projects are refused: an item can be corrected to name any. */
  readonly scope?: string;
  /** Refuses one that was replayed already, and leaves an invalid one open instead of making a new dead letter. */
  readonly isStrict?: boolean;
}

type DeadLetter = Pick<
  StoredDeadLetter,
  'kind' | 'project_id' | 'call_id' | 'user_id' | 'reason' | 'state'
>;

/**
 * Ingests dead letters again. A fact that is still invalid becomes a dead letter again. A fact that took no effect, because
 * another user had started the call, takes effect now; every other fact only adds, so that a replay of many dead letters
 * overwrites no call by mistake.
 */
@Injectable()
export class DeadLetterReplay {
  constructor(private readonly intake: CallIntake) {}

  /** What `replay` would do, without sending anything. */
  check(deadLetter: DeadLetter, item: Buffer, options: ReplayOptions = {}): ReplayOutcome {
    return this.read(deadLetter, item, options).outcome;
  }

  /** Resolves when Redis has the fact on disk. */
  async replay(
    deadLetter: DeadLetter,
    item: Buffer,
    options: ReplayOptions = {},
  ): Promise<ReplayOutcome> {
    const { outcome, fact } = this.read(deadLetter, item, options);
    const isLeft = outcome.state === 'rejected' && options.isStrict;
    if (fact !== undefined && !isLeft) await this.intake.accept(admin(deadLetter.user_id), [fact]);
    return outcome;
  }

  private read(
    deadLetter: DeadLetter,
    item: Buffer,
    { scope = EVERYTHING, isStrict = false }: ReplayOptions,
  ) {
    if (isStrict && deadLetter.state === 'replayed') return refused('it was replayed already');
    const refusal = replayRefusal(deadLetter, item.toString('utf8'));
    if (refusal !== undefined) return refused(refusal);
    const fact = this.factOrProblem(deadLetter, item);
    if (fact instanceof ProblemError) return refused(fact.message);
    if (fact.kind === 'rejected') return { outcome: outcomeOf('rejected', fact.reason), fact };
    if (!covers(scope, fact.projectId))
      return refused(`it names ${fact.projectId}, and this key does not administer that project`);
    return { outcome: outcomeOf('replayed'), fact };
  }

  /** The problem when the item exceeds a limit that ends a whole batch. */
  private factOrProblem(deadLetter: DeadLetter, item: Buffer): NewFact | ProblemError {
    try {
      return this.factOf(deadLetter, item);
    } catch (error) {
      if (error instanceof ProblemError) return error;
      throw error;
    }
  }

  private factOf(deadLetter: DeadLetter, item: Buffer): NewFact {
    const { project_id: projectId, call_id: callId, user_id: userId, reason } = deadLetter;
    const kind = deadLetter.kind as CallFactKind | 'rejected';
    const addsOnly = reason !== OTHER_USER;
    const context = { ...this.intake.context(admin(userId)), addsOnly };
    const json = item.toString('utf8');
    switch (kind) {
      case 'rename':
      case 'delete':
        return {
          ...{ kind, projectId, callId, userId, item },
          addsOnly: false,
          receivedAt: context.now(),
        };
      case 'start':
      case 'end':
        return onlyFact(batchFacts, `{"mode":"${kind}","req":{"${kind}":${json}}}`, context);
      case 'complete':
        return onlyFact(completedFacts, json, context);
      case 'rejected':
        return onlyFact(isWholeCall(json) ? completedFacts : batchFacts, json, context);
    }
  }
}

const outcomeOf = (state: ReplayOutcome['state'], reason = ''): ReplayOutcome => ({
  state,
  reason,
});
const refused = (reason: string) => ({ outcome: outcomeOf('refused', reason), fact: undefined });

/** The fact of a request whose batch has only this item. */
function onlyFact(factsOf: typeof batchFacts, item: string, context: IngestContext): NewFact {
  const [accepted] = factsOf(Buffer.from(`{"batch":[${item}]}`), context);
  return (accepted as Accepted).fact;
}

/** An item of call/upsert_batch has a mode; a whole call has none. */
function isWholeCall(json: string): boolean {
  const value = JSON.parse(json) as unknown;
  return value !== null && typeof value === 'object' && !('mode' in value);
}
