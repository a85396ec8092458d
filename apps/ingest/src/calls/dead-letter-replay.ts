import { Injectable } from '@nestjs/common';
import { admin } from '@app/auth';
import { OTHER_USER, type CallFactKind, type NewFact } from '@app/events';
import { CallIntake } from './call-intake.js';
import { batchFacts, completedFacts, type Accepted, type IngestContext } from './call-facts.js';

export interface ReplayedDeadLetter {
  readonly kind: CallFactKind | 'rejected';
  readonly projectId: string;
  readonly callId: string;
  /** The user who sent the fact. */
  readonly userId: string;
  readonly reason: string;
  /** Valid JSON. */
  readonly item: Buffer;
}

/**
 * Ingests dead letters again. A fact that is still invalid becomes a dead letter again. A fact that took no effect, because
 * another user had started the call, takes effect now; every other fact only adds, so that a replay of many dead letters
 * overwrites no call by mistake.
 */
@Injectable()
export class DeadLetterReplay {
  constructor(private readonly intake: CallIntake) {}

  /** Resolves when Redis has the fact on disk: to the reason if it was rejected again, else to undefined. */
  async replay(deadLetter: ReplayedDeadLetter): Promise<string | undefined> {
    const fact = this.factOf(deadLetter);
    await this.intake.accept(admin(deadLetter.userId), [fact]);
    return fact.kind === 'rejected' ? fact.reason : undefined;
  }

  private factOf(deadLetter: ReplayedDeadLetter): NewFact {
    const { kind, projectId, callId, userId, reason, item } = deadLetter;
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
