import { Injectable } from '@nestjs/common';
import type { CallsQueryRequest } from '@app/contracts';
import { CallsReader } from '../calls/calls.reader.js';
import type { ReadContext } from '../read-context.js';
import { StoredCall } from './stored-call.js';
import { childrenOfTrial, trialOps, type TrialChildren } from './trials.js';

/** A trial of a run with its children. */
export interface Trial extends TrialChildren {
  readonly call: StoredCall;
}

/** Trials whose children are read together. A trial has a few. */
export const TRIALS_AT_ONCE = 200;

/** Reads the calls that predict and score the examples of evaluations. */
@Injectable()
export class TrialsReader {
  constructor(private readonly calls: CallsReader) {}

  /** The trials of runs, oldest first, without their children. */
  ofRuns(
    project_id: string,
    runIds: readonly string[],
    context: ReadContext,
  ): AsyncGenerator<StoredCall, void> {
    const filter = { parent_ids: [...runIds], op_names: trialOps(project_id) };
    return this.stored({ project_id, filter }, context);
  }

  /** In the order of the trials. */
  async withChildren(
    project_id: string,
    trials: readonly StoredCall[],
    context: ReadContext,
    include_costs = false,
  ): Promise<Trial[]> {
    const children = new Map<string, StoredCall[]>(trials.map(({ id }) => [id, []]));
    const filter = { parent_ids: [...children.keys()] };
    if (trials.length > 0) {
      for await (const child of this.stored({ project_id, filter, include_costs }, context))
        children.get(child.parentId ?? '')?.push(child);
    }
    return trials.map((call) => ({ call, ...childrenOfTrial(call, children.get(call.id)!) }));
  }

  async *stored(
    request: CallsQueryRequest,
    context: ReadContext,
  ): AsyncGenerator<StoredCall, void> {
    for await (const records of this.calls.records(request, context))
      for (const record of records) yield new StoredCall(record);
  }
}

/** Parts of a list. */
export async function* inParts<T>(
  items: AsyncGenerator<T, void>,
  size: number,
): AsyncGenerator<readonly T[], void> {
  let part: T[] = [];
  for await (const item of items) {
    if (part.push(item) < size) continue;
    yield part;
    part = [];
  }
  if (part.length > 0) yield part;
}
