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
const PART_BYTES = 16 * 1024 * 1024;

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
    more: Pick<CallsQueryRequest, 'include_costs' | 'columns'> = {},
  ): Promise<Trial[]> {
    const children = new Map<string, StoredCall[]>(trials.map(({ id }) => [id, []]));
    const filter = { parent_ids: [...children.keys()] };
    if (trials.length > 0) {
      for await (const child of this.stored({ project_id, filter, ...more }, context))
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

/** What the results of a trial need of its children: not what they returned, which the trial has itself. */
export const CHILD_COLUMNS: string[] = [
  ...['id', 'parent_id', 'op_name', 'attributes', 'inputs', 'summary', 'started_at', 'ended_at'],
];

/** Parts of a list of calls, each of at most `TRIALS_AT_ONCE` calls and of little more than `PART_BYTES`. */
export async function* inParts(
  calls: AsyncGenerator<StoredCall, void>,
): AsyncGenerator<readonly StoredCall[], void> {
  let part: StoredCall[] = [];
  let bytes = 0;
  for await (const call of calls) {
    bytes += call.bytes;
    if (part.push(call) < TRIALS_AT_ONCE && bytes < PART_BYTES) continue;
    yield part;
    part = [];
    bytes = 0;
  }
  if (part.length > 0) yield part;
}
