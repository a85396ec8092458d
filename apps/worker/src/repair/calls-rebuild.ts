import { Injectable } from '@nestjs/common';
import { millis, nowMillis, type Millis } from '@app/wire';
import { CallRefolder, type Progress } from './call-refolder.js';
import { checksum, type CheckedTable } from './repair.sql.js';
import { ShadowRebuild, type Checksum, type RebuiltTable } from './shadow-rebuild.js';

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
/** Usage is exchanged first, because a row of `calls` is taken as proof that its usage is stored. */
const TABLES: readonly CheckedTable[] = ['root_usage', 'calls'];

/** Rebuilds the tables of calls and of their usage from the log. */
@Injectable()
export class CallsRebuild {
  constructor(
    private readonly shadow: ShadowRebuild,
    private readonly refolder: CallRefolder,
  ) {}

  /** Rejects with RebuildRunningError while another rebuild of calls runs. */
  async run(progress: (progress: Progress) => void, now = nowMillis()): Promise<RebuiltCalls> {
    const since = millis(now - MARGIN_MS);
    const { filled, caughtUp, tables } = await this.shadow.run({
      name: 'calls',
      tables: TABLES,
      fill: (suffix) => this.refoldAll(suffix, progress),
      checksum: (table, suffix) => checksum(table, suffix, since),
      catchUp: () => this.refoldSince(since),
    });
    return {
      before: checksums(tables, ({ before }) => before),
      after: checksums(tables, ({ after }) => after),
      refolded: caughtUp,
      deadLettered: filled,
    };
  }

  /** Resolves to the number of calls that were dead-lettered. */
  private async refoldAll(suffix: string, progress: (progress: Progress) => void): Promise<number> {
    let deadLettered = 0;
    for await (const step of this.refolder.refoldRange({}, suffix)) {
      ({ deadLettered } = step);
      progress(step);
    }
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
