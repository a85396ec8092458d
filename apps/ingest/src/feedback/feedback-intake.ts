import { Injectable } from '@nestjs/common';
import {
  AccessDeniedError,
  addsOnly,
  requireRefAccess,
  type Action,
  type Principal,
} from '@app/auth';
import type { FeedbackCreateRecord } from '@app/contracts';
import type { FeedbackGiven, RecordFact } from '@app/events';
import { ProblemError } from '@app/http';
import { RecordPublisher } from '@app/queue';
import { millisOf } from '@app/wire';
import { QueuesReader } from '../annotations/queues.reader.js';
import { Clock } from '../clock.js';
import { uuidOf, uuidv7 } from '../ids.js';
import { authorizedContext, type RecordContext } from '../record-facts.js';
import { AnnotationCheck } from './annotation-check.js';
import { givenFact } from './feedback-facts.js';
import { isOfProject } from './feedback-refs.js';
import { GivenFeedbackReader } from './given-feedback.reader.js';

/** The caller, and the id that a retry of the request repeats. */
export interface Sender {
  readonly caller: Principal;
  readonly retryId: string | undefined;
}

/** Authorizes, checks and publishes feedback. All of a request is checked before any of it is published. */
@Injectable()
export class FeedbackIntake {
  constructor(
    private readonly annotations: AnnotationCheck,
    private readonly records: RecordPublisher,
    private readonly clock: Clock,
    private readonly given: GivenFeedbackReader,
    private readonly queues: QueuesReader,
  ) {}

  /** Resolves to a checked fact. With an `id` it replaces that record and has its id, unless the record has one itself. */
  async fact(
    record: FeedbackCreateRecord,
    { caller, retryId }: Sender,
    index = 0,
    id: string | null = null,
  ): Promise<FeedbackGiven> {
    const context = this.context(caller, record.project_id, id === null ? 'write' : 'change');
    const { weave_ref, item_ref, annotation_ref, runnable_ref, call_ref, trigger_ref } = record;
    const refs = [weave_ref, item_ref, annotation_ref, runnable_ref, call_ref, trigger_ref];
    requireRefAccess(caller, 'enter', refs);
    const foreign = refs.filter((ref) => ref && !isOfProject(ref, record.project_id));
    requireRefAccess(caller, 'read', foreign);
    const generated = retryId
      ? uuidOf(caller.user, retryId, index, 'feedback')
      : uuidv7(millisOf(context.receivedAt));
    const sender = { ...context, addsOnly: addsOnly(caller) };
    const fact = givenFact(record, record.id || id || generated, sender);
    await this.annotations.check(record);
    await this.requireQueue(record);
    return fact;
  }

  private async requireQueue({ project_id, queue_id }: FeedbackCreateRecord): Promise<void> {
    if (!queue_id || (await this.queues.exists(project_id, queue_id))) return;
    const reason = `queue_id: there is no annotation queue ${queue_id.slice(0, 80)} in ${project_id}.`;
    throw new ProblemError('invalid_request', reason);
  }

  /** As `publish`. A key that only adds must not replace feedback, also not by sending its id. */
  async publishNew(caller: Principal, facts: readonly FeedbackGiven[]): Promise<void> {
    const id = addsOnly(caller) ? await this.given.replacedBy(facts) : undefined;
    if (id !== undefined) {
      throw new AccessDeniedError(
        'forbidden',
        `This API key (role ${caller.role}) may not replace the feedback ${id.slice(0, 80)}.`,
      );
    }
    await this.publish(facts);
  }

  context(caller: Principal, projectId: string, action: Action): RecordContext {
    return authorizedContext(caller, action, projectId, this.clock);
  }

  /** Resolves when all facts can be read. The facts of one project become visible together. */
  async publish(facts: readonly RecordFact[]): Promise<void> {
    const projects = new Set(facts.map(({ projectId }) => projectId));
    await Promise.all(
      [...projects].map((projectId) =>
        this.records.publish(facts.filter((fact) => fact.projectId === projectId)),
      ),
    );
  }
}
