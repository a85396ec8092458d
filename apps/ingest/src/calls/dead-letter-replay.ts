import { Injectable } from '@nestjs/common';
import { admin } from '@app/auth';
import type { CallFactKind, NewFact } from '@app/events';
import { CallIntake } from './call-intake.js';
import { batchFacts, completedFacts, type Accepted, type IngestContext } from './call-facts.js';

export interface ReplayedDeadLetter {
  readonly kind: CallFactKind | 'rejected';
  readonly projectId: string;
  readonly callId: string;
  /** Whose fact it was, and still is. */
  readonly userId: string;
  /** Valid JSON. */
  readonly item: Buffer;
}

/** Sends dead letters in again by the way all facts come; what is still wrong becomes a dead letter again. */
@Injectable()
export class DeadLetterReplay {
  constructor(private readonly intake: CallIntake) {}

  /** Resolves when it is on disk again; to the reason when it was rejected again. */
  async replay(letter: ReplayedDeadLetter): Promise<string | undefined> {
    const fact = this.factOf(letter);
    await this.intake.keep(admin(letter.userId), [fact]);
    return fact.kind === 'rejected' ? fact.reason : undefined;
  }

  private factOf({ kind, projectId, callId, userId, item }: ReplayedDeadLetter): NewFact {
    const receipt = this.intake.receipt(admin(userId));
    const json = item.toString('utf8');
    switch (kind) {
      case 'rename':
      case 'delete':
        return { kind, projectId, callId, userId, receivedAt: receipt.now(), item };
      case 'start':
      case 'end':
        return throughTheDoor(batchFacts, `{"mode":"${kind}","req":{"${kind}":${json}}}`, receipt);
      case 'complete':
        return throughTheDoor(completedFacts, json, receipt);
      case 'rejected':
        return throughTheDoor(isWholeCall(json) ? completedFacts : batchFacts, json, receipt);
    }
  }
}

/** The one fact that a request with this item alone would make. */
function throughTheDoor(door: typeof batchFacts, item: string, receipt: IngestContext): NewFact {
  const [accepted] = door(Buffer.from(`{"batch":[${item}]}`), receipt);
  return (accepted as Accepted).fact;
}

/** An item of a batch names its mode; a whole call does not. */
function isWholeCall(json: string): boolean {
  const value = JSON.parse(json) as unknown;
  return value !== null && typeof value === 'object' && !('mode' in value);
}
