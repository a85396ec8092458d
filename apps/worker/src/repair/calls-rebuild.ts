import { Injectable } from '@nestjs/common';
import { millis, nowMillis, type Millis } from '@app/wire';
import { CallRefolder, type Progress } from './call-refolder.js';
import { checksum, type CheckedTable } from './repair.sql.js';
import { CALLS_TABLES } from './rebuilt-tables.js';
import {
  ShadowRebuild,
  type Checksum,
  type RebuildPlan,
  type RebuiltTable,
} from './shadow-rebuild.js';

/** The checksums of both tables. */
export type Checksums = Readonly<Record<CheckedTable, Checksum>>;

export interface RebuiltCalls {
  readonly before: Checksums;
  readonly after: Checksums;
  /** Calls that got facts while the rebuild ran, folded again afterwards. */
  readonly refolded: number;
  /** Calls of which some facts cannot be stored and are dead letters. */
  readonly deadLettered: number;
}

/** Facts whose insert was in progress when the rebuild began may carry an earlier time. */
const MARGIN_MS = 120_000;

/** Rebuilds the tables of calls and of their usage from the log. */
@Injectable()
export class CallsRebuild {
  constructor(
    private readonly shadow: ShadowRebuild,
    private readonly refolder: CallRefolder,
  ) {}

  /** Rejects with RewriteRunningError while another rebuild, erasure or expiry runs. */
  async run(
    progress: (progress: Progress) => void,
    { allowFewerRows = false, now = nowMillis() } = {},
  ): Promise<RebuiltCalls> {
    const since = millis(now - MARGIN_MS);
    const plan: RebuildPlan<CheckedTable, number> = {
      ...this.recovery,
      tables: CALLS_TABLES,
      since,
      fill: (suffix, signal) => this.refoldAll(suffix, progress, signal),
      checksum: (table, suffix) => checksum(table, suffix, since),
    };
    const { filled, caughtUp, tables } = await this.shadow.run(plan, allowFewerRows);
    return {
      before: checksums(tables, ({ before }) => before),
      after: checksums(tables, ({ after }) => after),
      refolded: caughtUp,
      deadLettered: filled,
    };
  }

  /** Finishes a rebuild that was interrupted. Resolves to whether there was one. */
  recover(): Promise<boolean> {
    return this.shadow.recover(this.recovery);
  }

  private readonly recovery = {
    name: 'calls',
    tables: CALLS_TABLES,
    catchUp: (since: Millis) => this.refoldSince(since),
  };

  /** Resolves to the number of calls that were dead-lettered. */
  private async refoldAll(
    suffix: string,
    progress: (progress: Progress) => void,
    signal: AbortSignal,
  ): Promise<number> {
    let deadLettered = 0;
    for await (const step of this.refolder.refoldRange({}, suffix)) {
      signal.throwIfAborted();
      ({ deadLettered } = step);
      progress(step);
    }
    await this.refolder.copyHidden(suffix);
    return deadLettered;
  }

  private async refoldSince(storedFrom: Millis): Promise<number> {
    let refolded = 0;
    for await (const { done } of this.refolder.refoldRange({ storedFrom })) refolded = done;
    return refolded;
  }
}

function checksums(
  tables: readonly RebuiltTable<CheckedTable>[],
  of: (table: RebuiltTable) => Checksum,
): Checksums {
  const [usage, calls] = tables;
  return { calls: of(calls!), root_usage: of(usage!) };
}
