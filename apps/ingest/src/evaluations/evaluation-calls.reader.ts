import { Injectable } from '@nestjs/common';
import { bind, raw, sql, Store, type Sql } from '@app/clickhouse';
import { ProblemError } from '@app/http';
import { PendingWrites } from '@app/queue';
import type { TrialResult } from './run-summary.js';

/** How long a write waits for earlier writes of the same user that it needs to know. */
const WAIT_MS = 10_000;
/** A longer output is not a number. */
const NUMBER_MAX = 40;

/** A call that a write refers to. Texts are empty when absent. */
export interface KnownCall {
  readonly id: string;
  readonly trace_id: string;
  readonly parent_id: string;
  readonly op_name: string;
  /** Microseconds; 0 for a call that has not ended. */
  readonly started: number | string;
  readonly ended: number | string;
  readonly inputs: string;
  readonly output: string;
}

/** A score of a trial. */
interface ScoreRow {
  readonly scorer: string;
  readonly output: string;
}

/** Who needs the calls of which project. */
export interface Writer {
  readonly projectId: string;
  readonly user: string;
}

/** Reads the calls that the writes of an evaluation refer to. */
@Injectable()
export class EvaluationCallsReader {
  constructor(
    private readonly store: Store,
    private readonly pending: PendingWrites,
  ) {}

  /** Resolves when the writes that the user has sent before can be read. */
  async settle({ projectId, user }: Writer): Promise<void> {
    await this.pending.settled(projectId, user, WAIT_MS);
  }

  /** The call. It waits for earlier writes only when it does not find the call. */
  async read(writer: Writer, id: string, what: string): Promise<KnownCall> {
    const found = await this.find(writer, id);
    if (found) return found;
    await this.settle(writer);
    const settled = await this.find(writer, id);
    if (settled) return settled;
    const reason = `There is no ${what} ${id.slice(0, 80)} in ${writer.projectId}.`;
    throw new ProblemError('call_not_found', reason);
  }

  /** The call as far as it is stored. The newest row at each key wins; a deleted call has none. */
  async find({ projectId }: Writer, id: string): Promise<KnownCall | undefined> {
    const [row] = await this.store.rows<KnownCall>(sql`SELECT * EXCEPT is_deleted FROM (
  SELECT id, trace_id, parent_id, op_name, toUnixTimestamp64Micro(started_at) AS started,
    toUnixTimestamp64Micro(ended_at) AS ended, inputs, output, is_deleted
  FROM calls PREWHERE project_id = ${bind('String', projectId)} AND id = ${bind('String', id)}
  ORDER BY version DESC, is_deleted LIMIT 1 BY started_at)
WHERE is_deleted = 0 LIMIT 1`);
    return row;
  }

  /** The scores under a trial, oldest first. */
  scoresOf({ projectId }: Writer, trial: KnownCall): Promise<ScoreRow[]> {
    return this.store.rows<ScoreRow>(sql`SELECT
  JSONExtractString(attributes, 'weave', 'scorer') AS scorer, output
FROM ${childrenOf(projectId, trial)} AND JSONExtractString(attributes, 'weave', 'score') = 'true'
ORDER BY started_at, id`);
  }

  /** What the trials of a run returned. */
  trialsOf({ projectId }: Writer, run: KnownCall, ops: readonly string[]): Promise<TrialResult[]> {
    const names = bind('Array(String)', ops);
    const name = raw(
      `if(startsWith(op_name, 'weave:///'), extract(op_name, '/op/([^:/]+)'), op_name)`,
    );
    return this.store.rows<TrialResult>(sql`SELECT JSONExtractRaw(output, 'scores') AS scores,
  if(length(JSONExtractRaw(output, 'output') AS text) > ${bind('UInt32', NUMBER_MAX)}, '', text) AS predicted
FROM ${childrenOf(projectId, run)} AND ${name} IN ${names}`);
  }
}

const childrenOf = (projectId: string, { id, trace_id }: KnownCall): Sql =>
  sql`calls FINAL WHERE project_id = ${bind('String', projectId)}
  AND trace_id = ${bind('String', trace_id)} AND parent_id = ${bind('String', id)}`;
