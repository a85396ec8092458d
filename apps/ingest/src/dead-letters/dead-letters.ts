import { Injectable } from '@nestjs/common';
import { actorOf, type Principal } from '@app/auth';
import {
  DEAD_LETTERS_PER_REQUEST,
  type DeadLetterOutcome,
  type DeadLettersDropRequest,
  type DeadLettersReplayRequest,
} from '@app/contracts';
import { ProblemError } from '@app/http';
import { AuditTrail } from '@app/queue';
import { correctedItem, isCorrection } from './corrected-item.js';
import { DeadLetterReplay } from './dead-letter-replay.js';
import { filterOf, nextOf, scopeOf } from './dead-letter-filter.js';
import { DeadLettersReader, type StoredDeadLetter } from './dead-letters.reader.js';

interface Selected {
  readonly deadLetters: readonly StoredDeadLetter[];
  readonly next: string | null;
}

/** Replays and drops dead letters for an admin, and records it in the audit log. */
@Injectable()
export class DeadLetters {
  constructor(
    private readonly reader: DeadLettersReader,
    private readonly replays: DeadLetterReplay,
    private readonly audit: AuditTrail,
  ) {}

  async replay(body: DeadLettersReplayRequest, caller: Principal) {
    const scope = scopeOf(body, caller);
    if (isCorrection(body) && body.ids?.length !== 1)
      throw new ProblemError(
        'invalid_request',
        'item and edits correct one dead letter: give its id.',
      );
    const { deadLetters, next } = await this.selected(body, caller);
    const outcomes: DeadLetterOutcome[] = [];
    const done: StoredDeadLetter[] = [];
    try {
      for (const deadLetter of deadLetters) {
        // One item at a time, because each may have many megabytes.
        const item = await correctedItem(body, () => this.reader.item(deadLetter));
        const options = { scope, isStrict: true };
        const { state, reason } = await this.replays.replay(deadLetter, item, options);
        outcomes.push({ id: deadLetter.id, outcome: state, reason: reason || null });
        if (state !== 'replayed') continue;
        done.push(deadLetter);
        await this.reader.mark([deadLetter], 'replayed');
      }
    } finally {
      // Recorded also when Redis is full or unavailable before the last dead letter.
      await this.record('dead-letters.replay', done, caller);
    }
    return { outcomes, next };
  }

  async drop(body: DeadLettersDropRequest, caller: Principal) {
    const { deadLetters, next } = await this.selected(body, caller);
    const dropped = deadLetters.filter(({ state }) => state === 'open');
    await this.record('dead-letters.drop', dropped, caller);
    await this.reader.mark(dropped, 'dropped');
    return { dropped: dropped.map(({ id }) => id), next };
  }

  /** Selects by id or by reason. Without either it refuses, so that no typo selects everything. */
  private async selected(body: DeadLettersDropRequest, caller: Principal): Promise<Selected> {
    const ids = body.ids ?? undefined;
    if (ids !== undefined) {
      const deadLetters = await this.reader.byId(ids, scopeOf(body, caller));
      const missing = ids.filter((id) => !deadLetters.some((one) => one.id === id));
      if (missing.length === 0) return { deadLetters, next: null };
      throw new ProblemError('not_found', `There is no dead letter ${missing.join(', ')}.`);
    }
    if (!body.reason && !body.reason_group)
      throw new ProblemError(
        'invalid_request',
        'Select dead letters by ids, reason or reason_group.',
      );
    const limit = DEAD_LETTERS_PER_REQUEST;
    const deadLetters = await this.reader.list(filterOf(body, caller), limit);
    return { deadLetters, next: nextOf(deadLetters, limit) };
  }

  /** One entry for each project, so that its own admins see it. */
  private async record(
    action: string,
    deadLetters: readonly StoredDeadLetter[],
    caller: Principal,
  ): Promise<void> {
    for (const projectId of new Set(deadLetters.map(({ project_id }) => project_id))) {
      const ids = deadLetters.flatMap(({ id, project_id }) =>
        project_id === projectId ? [id] : [],
      );
      const detail = { ids, count: ids.length };
      await this.audit.record({ ...actorOf(caller), action, projectId, detail });
    }
  }
}
