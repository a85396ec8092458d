import { Inject, Injectable } from '@nestjs/common';
import { addsOnly, requireAccess, type Principal } from '@app/auth';
import type { IngestConfig } from '@app/config';
import type { NewFact } from '@app/events';
import { asBuffer, noteIgnored } from '@app/http';
import { FactClock, FactPublisher } from '@app/queue';
import { Clock } from '../clock.js';
import { INGEST_CONFIG } from '../tokens.js';
import type { CallResponse, IngestContext } from './call-facts.js';
import {
  contextOf,
  readCallsOf,
  redactionOf,
  type CallOperation,
  type ReadContext,
} from './read-calls.js';

/** Authorizes, redacts and publishes facts about calls. */
@Injectable()
export class CallIntake {
  constructor(
    private readonly publisher: FactPublisher,
    private readonly clock: Clock,
    private readonly factClock: FactClock,
    @Inject(INGEST_CONFIG) private readonly config: Pick<IngestConfig, 'redactKeys'>,
  ) {}

  /** Reads a body and accepts its facts. Resolves to the responses, one per item. */
  async acceptBody(
    body: Buffer,
    operation: CallOperation,
    caller: Principal,
    retryId?: string,
  ): Promise<readonly CallResponse[]> {
    const { facts, responses, ignored } = await readCallsOf(
      body,
      operation,
      this.readContext(caller, retryId),
    );
    noteIgnored(body, ignored);
    await this.acceptRead(caller, facts);
    return responses;
  }

  /** Resolves when Redis has all facts on disk. Rejects when it has none of them. */
  async accept(caller: Principal, facts: readonly NewFact[]): Promise<void> {
    const redaction = redactionOf(this.config.redactKeys);
    await this.publish(
      caller,
      facts.map((fact) => redaction.redact(fact)),
    );
  }

  /** The same for facts of `readContext`, which are redacted already. Each gets its time of receipt. */
  acceptRead(caller: Principal, facts: readonly NewFact[]): Promise<void> {
    return this.publish(
      caller,
      facts.map((fact) => ({
        ...fact,
        item: asBuffer(fact.item),
        receivedAt: this.clock.now(),
      })),
    );
  }

  private async publish(caller: Principal, facts: readonly NewFact[]): Promise<void> {
    requireAccess(caller, 'write', new Set(facts.map(({ projectId }) => projectId)));
    const { keyId, address = '', requestId = '' } = caller;
    const origin = { keyId, address, requestId };
    await this.publisher.publish(facts.map((fact) => (fact.addsOnly ? fact : { ...fact, origin })));
  }

  readContext(caller: Principal, retryId?: string): ReadContext {
    const { redactKeys } = this.config;
    const now = this.clock.now();
    return { userId: caller.user, addsOnly: addsOnly(caller), retryId, now, redactKeys };
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
    return { ...contextOf(this.readContext(caller, retryId)), now: () => this.clock.now() };
  }
}
