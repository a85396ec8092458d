import { Injectable } from '@nestjs/common';
import { addsOnly, requireAccess, type Principal } from '@app/auth';
import type { NewFact } from '@app/events';
import { FactClock, FactPublisher } from '@app/queue';
import { millisOf } from '@app/wire';
import { Clock } from '../clock.js';
import { uuidOf, uuidv7 } from '../ids.js';
import { Redaction } from './redaction.js';
import type { IngestContext } from './call-facts.js';

/** Authorizes, redacts and publishes facts about calls. */
@Injectable()
export class CallIntake {
  constructor(
    private readonly publisher: FactPublisher,
    private readonly clock: Clock,
    private readonly redaction: Redaction,
    private readonly factClock: FactClock,
  ) {}

  /** Resolves when Redis has all facts on disk. Rejects when it has none of them. */
  async accept(caller: Principal, facts: readonly NewFact[]): Promise<void> {
    requireAccess(caller, 'write', new Set(facts.map(({ projectId }) => projectId)));
    await this.publisher.publish(facts.map((fact) => this.redaction.redact(fact)));
  }

  /**
   * As `context`, with a time of which the order over all ingest processes is right. Redis provides it, so access to the
   * project is checked first.
   */
  async orderedContext(caller: Principal, projectId: string): Promise<IngestContext> {
    requireAccess(caller, 'change', [projectId]);
    const at = await this.factClock.next();
    return { ...this.context(caller), now: () => at };
  }

  context(caller: Principal, retryId?: string): IngestContext {
    const { user } = caller;
    return {
      userId: user,
      addsOnly: addsOnly(caller),
      now: () => this.clock.now(),
      newId: (index, kind) =>
        retryId ? uuidOf(user, retryId, index, kind) : uuidv7(millisOf(this.clock.now())),
    };
  }
}
