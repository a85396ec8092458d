import { Injectable } from '@nestjs/common';
import { requireAccess, type Principal } from '@app/auth';
import type { NewFact } from '@app/events';
import { FactPublisher } from '@app/queue';
import { Clock } from '../clock.js';
import { uuidOf, uuidv7 } from '../ids.js';
import { Redaction } from './redaction.js';
import type { IngestContext } from './call-facts.js';

/** Where facts about calls enter: access to all their projects first, then the disk, then the answer. */
@Injectable()
export class CallIntake {
  constructor(
    private readonly publisher: FactPublisher,
    private readonly clock: Clock,
    private readonly redaction: Redaction,
  ) {}

  /** Resolves when all of them are on disk; rejects when none is kept. */
  async keep(caller: Principal, facts: readonly NewFact[]): Promise<void> {
    requireAccess(caller, 'write', new Set(facts.map(({ projectId }) => projectId)));
    await this.publisher.publish(facts.map((fact) => this.redaction.fact(fact)));
  }

  receipt({ user }: Principal, retryId?: string): IngestContext {
    return {
      userId: user,
      now: () => this.clock.now(),
      newId: (index, what) =>
        retryId ? uuidOf(user, retryId, index, what) : uuidv7(Math.floor(this.clock.now() / 1000)),
    };
  }
}
