import type { CallItem, NewFact } from '@app/events';
import { InvalidBodyError } from '@app/http';
import { isObjectAt, memberSpans } from '@app/wire';
import { tooMany } from '../list-length.js';

/** What one batch may have. docs/reference/limits.md lists the same numbers. */
export const BATCH_MAX = { items: 20_000, projects: 100, models: 1000, invalid: 1000 } as const;

/** Counts what is distinct in the items of a batch. Stops the batch at the first item above a bound. */
export class BatchBounds {
  private readonly projects = new Set<string>();
  private readonly models = new Set<string>();
  private invalid = 0;

  /** Throws a ProblemError, and then nothing of the batch is stored. */
  count(fact: NewFact, item: CallItem | undefined): void {
    if (fact.kind === 'rejected') this.countInvalid(fact.reason);
    this.countProject(fact.projectId);
    if (fact.kind === 'end' || fact.kind === 'complete') this.countModels(item);
  }

  countProject(projectId: string): void {
    this.projects.add(projectId);
    if (this.projects.size <= BATCH_MAX.projects) return;
    throw tooMany(`batch names more than ${BATCH_MAX.projects} projects`);
  }

  private countModels(item: CallItem | undefined): void {
    const summary = item?.summary?.bytes;
    const usage = summary && memberSpans(summary).get('usage');
    if (!summary || !usage || !isObjectAt(summary, usage.start)) return;
    for (const model of memberSpans(summary, usage.start).keys()) this.models.add(model);
    if (this.models.size <= BATCH_MAX.models) return;
    throw tooMany(`batch has the usage of more than ${BATCH_MAX.models} models`);
  }

  private countInvalid(reason: string): void {
    if (++this.invalid <= BATCH_MAX.invalid) return;
    const msg = `more than ${BATCH_MAX.invalid} items are invalid, so nothing of the batch is stored; the last: ${reason}`;
    throw new InvalidBodyError([{ loc: ['body', 'batch'], msg, type: 'too_many_invalid' }]);
  }
}
