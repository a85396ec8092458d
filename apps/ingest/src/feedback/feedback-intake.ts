import { Injectable } from '@nestjs/common';
import { requireAccess, requireRefAccess, type Action, type Principal } from '@app/auth';
import type { FeedbackCreateRecord } from '@app/contracts';
import type { FeedbackGiven, RecordFact } from '@app/events';
import { RecordPublisher } from '@app/queue';
import { Clock } from '../clock.js';
import { uuidOf, uuidv7 } from '../ids.js';
import type { IngestContext } from '../objects/object-facts.js';
import { AnnotationCheck } from './annotation-check.js';
import { givenFact } from './feedback-facts.js';

/** Who sends feedback, and what makes a retry the same request. */
export interface Sender {
  readonly caller: Principal;
  readonly retryId: string | undefined;
}

/** Takes feedback in: checks all of it before any of it is kept. */
@Injectable()
export class FeedbackIntake {
  constructor(
    private readonly annotations: AnnotationCheck,
    private readonly records: RecordPublisher,
    private readonly clock: Clock,
  ) {}

  /** A checked fact. With an `id` it replaces that record, and takes its id unless it has one of its own. */
  async fact(
    record: FeedbackCreateRecord,
    { caller, retryId }: Sender,
    index = 0,
    id: string | null = null,
  ): Promise<FeedbackGiven> {
    const receipt = this.receipt(caller, record.project_id, id === null ? 'write' : 'delete');
    const { weave_ref, item_ref, annotation_ref, runnable_ref, call_ref, trigger_ref } = record;
    const refs = [weave_ref, item_ref, annotation_ref, runnable_ref, call_ref, trigger_ref];
    requireRefAccess(caller, 'enter', refs);
    const made = retryId
      ? uuidOf(caller.user, retryId, index, 'feedback')
      : uuidv7(Math.floor(receipt.receivedAt / 1000));
    const fact = givenFact(record, record.id || id || made, receipt);
    await this.annotations.check(record);
    return fact;
  }

  receipt(caller: Principal, projectId: string, action: Action): IngestContext {
    requireAccess(caller, action, [projectId]);
    return { projectId, userId: caller.user, receivedAt: this.clock.now() };
  }

  /** Resolves when all of them can be read; those of one project become visible at once. */
  async keep(facts: readonly RecordFact[]): Promise<void> {
    const projects = new Set(facts.map(({ projectId }) => projectId));
    await Promise.all(
      [...projects].map((projectId) =>
        this.records.publish(facts.filter((fact) => fact.projectId === projectId)),
      ),
    );
  }
}
