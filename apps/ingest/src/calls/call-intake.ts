import { Inject, Injectable } from '@nestjs/common';
import { addsOnly, requireAccess, type Principal } from '@app/auth';
import type { IngestConfig } from '@app/config';
import type { NewFact } from '@app/events';
import { asBuffer, mapInSlices, noteIgnored, requireRecordsOf, type RecordsBody } from '@app/http';
import { FactClock, FactPublisher } from '@app/queue';
import { Clock } from '../clock.js';
import { INGEST_CONFIG } from '../tokens.js';
import type { CallResponse, IngestContext } from './call-facts.js';
import { unpackedCalls, type Sender } from './packed-calls.js';
import {
  contextOf,
  readPackedCallsOf,
  redactionOf,
  type CallOperation,
  type ReadContext,
} from './read-calls.js';

type FactOrigin = NonNullable<NewFact['origin']>;

/** Authorizes, redacts and publishes facts about calls. */
@Injectable()
export class CallIntake {
  constructor(
    private readonly publisher: FactPublisher,
    private readonly clock: Clock,
    private readonly factClock: FactClock,
    @Inject(INGEST_CONFIG) private readonly config: Pick<IngestConfig, 'redactKeys'>,
  ) {}

  /** Checks and reads a body and accepts its facts. Resolves to the responses, one per item. */
  async acceptBody(
    { unchecked: body }: RecordsBody,
    operation: CallOperation,
    caller: Principal,
    retryId?: string,
  ): Promise<readonly CallResponse[]> {
    const context = this.readContext(caller, retryId);
    const packed = await readPackedCallsOf(body, operation, context);
    noteIgnored(body, packed.ignored);
    requireAccess(caller, 'write', packed.projects);
    const { facts, responses } = await unpackedCalls(packed, this.senderOf(caller));
    await this.publisher.publish(facts);
    return responses;
  }

  /** Requires access to the project that the path names. A body that is not JSON is refused for that first, on every path. */
  async requirePath(body: RecordsBody, caller: Principal, project: string): Promise<void> {
    try {
      requireAccess(caller, 'write', [project]);
    } catch (error) {
      await requireRecordsOf(body.unchecked);
      throw error;
    }
  }

  /** Resolves when Redis has all facts on disk. Rejects when it has none of them. */
  async accept(caller: Principal, facts: readonly NewFact[]): Promise<void> {
    requireProjects(caller, facts);
    const redaction = redactionOf(this.config.redactKeys);
    const origin = originOf(caller);
    await this.publisher.publish(facts.map((fact) => withOrigin(redaction.redact(fact), origin)));
  }

  /** The same for facts of `readContext`, which are redacted already. Each gets its time of receipt. */
  async acceptRead(caller: Principal, facts: readonly NewFact[]): Promise<void> {
    requireProjects(caller, facts);
    const origin = originOf(caller);
    const received = await mapInSlices(facts, (fact) =>
      withOrigin({ ...fact, item: asBuffer(fact.item), receivedAt: this.clock.now() }, origin),
    );
    await this.publisher.publish(received);
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

  private senderOf(caller: Principal): Sender {
    const sender = { userId: caller.user, addsOnly: addsOnly(caller), now: () => this.clock.now() };
    return sender.addsOnly ? sender : { ...sender, origin: originOf(caller) };
  }
}

function requireProjects(caller: Principal, facts: readonly NewFact[]): void {
  requireAccess(caller, 'write', new Set(facts.map(({ projectId }) => projectId)));
}

const originOf = ({ keyId, address = '', requestId = '' }: Principal): FactOrigin => ({
  keyId,
  address,
  requestId,
});

/** A fact that only adds overwrites nothing, so the audit log never needs its origin. */
const withOrigin = (fact: NewFact, origin: FactOrigin): NewFact =>
  fact.addsOnly ? fact : { ...fact, origin };
