import { Injectable } from '@nestjs/common';
import type { ProgressState } from '@app/events';
import { ProblemError } from '@app/http';
import {
  claimKey,
  ItemClaims,
  OrderingRefusedError,
  RecordPublisher,
  type ClaimRefusal,
  type ClaimSeed,
} from '@app/queue';
import type { RecordContext } from '../record-facts.js';
import { progressedFact } from './queue-facts.js';
import { QueuesReader, type ItemRow } from './queues.reader.js';

/** Redis keys are numbered from 1. The first two are the payload and the clock. */
const FIRST_KEY = 3;
const ATTEMPTS = 3;

/**
 * Claims and finishes items. An item belongs to the first annotator who claims or finishes it: the transaction that makes the
 * fact durable also decides who that is.
 */
@Injectable()
export class ItemProgress {
  constructor(
    private readonly records: RecordPublisher,
    private readonly claims: ItemClaims,
    private readonly queues: QueuesReader,
  ) {}

  /** Resolves to the item with its new state. Rejects with a ProblemError when the annotator may not set it. */
  async set(
    queueId: string,
    id: string,
    state: ProgressState,
    context: RecordContext,
  ): Promise<ItemRow> {
    const { projectId, userId, receivedAt } = context;
    const item = await this.queues.item(projectId, queueId, id);
    const refusal = await this.publish(item, state, context);
    if (refusal === 'same') return this.queues.item(projectId, queueId, id);
    if (refusal !== undefined) throw refused(refusal, id, state);
    return { ...item, state, annotator: userId, progressed: receivedAt, updated_at: receivedAt };
  }

  private async publish(
    item: ItemRow,
    state: ProgressState,
    context: RecordContext,
  ): Promise<ClaimRefusal | undefined> {
    for (let attempt = 1; ; attempt++) {
      try {
        await this.publishOnce(item, state, context);
        return undefined;
      } catch (error) {
        if (!(error instanceof OrderingRefusedError)) throw error;
        if (error.reason !== 'unseeded') return error.reason as ClaimRefusal;
        // The claim expired in Redis between the lookup and the write.
        if (attempt === ATTEMPTS) throw error;
      }
    }
  }

  private async publishOnce(
    item: ItemRow,
    state: ProgressState,
    context: RecordContext,
  ): Promise<void> {
    const { projectId, userId } = context;
    const isKnown = await this.claims.isKnown(projectId, item.id);
    const seed = isKnown ? {} : { seed: seedOf(item) };
    await this.records.publish([progressedFact(item.id, item.queue_id, state, context)], {
      keys: [claimKey(projectId, item.id)],
      steps: [{ claim: FIRST_KEY, user: userId, state, ...seed }],
    });
  }
}

/** ClickHouse has all progress that is older than the hash in Redis lives. */
const seedOf = ({ annotator, state, progressed }: ItemRow): ClaimSeed => ({
  user: annotator,
  state: annotator === '' ? '' : state,
  at: Number(progressed),
});

function refused(
  refusal: Exclude<ClaimRefusal, 'same'>,
  id: string,
  state: ProgressState,
): ProblemError {
  const item = `The item ${id.slice(0, 80)}`;
  switch (refusal) {
    case 'claimed':
      return new ProblemError(
        'annotation_item_claimed',
        `${item} is claimed by another annotator.`,
      );
    case 'finished':
      return new ProblemError(
        'annotation_item_claimed',
        `${item} was finished by another annotator.`,
      );
    case 'final':
      return new ProblemError(
        'invalid_request',
        `${item} is finished, so its state cannot become ${state}.`,
      );
  }
}
