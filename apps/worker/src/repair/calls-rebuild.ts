import { Injectable } from '@nestjs/common';
import { CALLS, ROOT_USAGE, Store } from '@app/clickhouse';
import { Redis, tryLock } from '@app/redis';
import { CallRefolder, type Progress } from './call-refolder.js';
import { checksum, type CheckedTable } from './repair.sql.js';

export interface Checksum {
  readonly rows: number;
  readonly sum: string;
}

/** What both tables say. */
export type Checksums = Readonly<Record<CheckedTable, Checksum>>;

export interface Rebuilt {
  readonly before: Checksums;
  readonly after: Checksums;
  /** Calls that got facts while the rebuild ran, folded again afterwards. */
  readonly refolded: number;
  /** Calls of the log that can never be stored with all their facts: those are among the dead letters. */
  readonly deadLettered: number;
}

export class RebuildRunningError extends Error {
  override readonly name = 'RebuildRunningError';

  constructor() {
    super('Another rebuild is running; start this one when it has ended.');
  }
}

/** Facts whose insert was under way when the rebuild began may carry an earlier time. */
const MARGIN_MS = 120_000;
/** What the new tables are called until they take the place of the old ones. */
const NEW = '_rebuild';
const TABLES = [ROOT_USAGE.name, CALLS.name];

/**
 * Makes the tables of calls and of their usage anew from the log while ingest goes on: fold everything into tables beside them,
 * exchange old and new, then fold again what got a fact in the meantime.
 */
@Injectable()
export class CallsRebuild {
  constructor(
    private readonly store: Store,
    private readonly refolder: CallRefolder,
    private readonly redis: Redis,
  ) {}

  /** Rejects with RebuildRunningError when another process is at it: both would write into the same new table. */
  async run(progress: (progress: Progress) => void, now = Date.now()): Promise<Rebuilt> {
    const rebuilt = await tryLock(this.redis, 'rebuild', () => this.rebuild(progress, now));
    if (rebuilt === undefined) throw new RebuildRunningError();
    return rebuilt;
  }

  private async rebuild(progress: (progress: Progress) => void, now: number): Promise<Rebuilt> {
    const since = now - MARGIN_MS;
    for (const table of TABLES) {
      await this.command(`DROP TABLE IF EXISTS ${table}${NEW}`);
      await this.command(`CREATE TABLE ${table}${NEW} AS ${table}`);
    }
    let deadLettered = 0;
    for await (const step of this.refolder.refoldRange({}, NEW)) {
      ({ deadLettered } = step);
      progress(step);
    }

    const before = await this.checksums('', since);
    const after = await this.checksums(NEW, since);
    for (const table of TABLES) await this.command(`EXCHANGE TABLES ${table} AND ${table}${NEW}`);
    let refolded = 0;
    for await (const { done } of this.refolder.refoldRange({ storedFrom: since })) refolded = done;
    for (const table of TABLES) await this.command(`DROP TABLE ${table}${NEW}`);
    return { before, after, refolded, deadLettered };
  }

  private async checksums(suffix: string, since: number): Promise<Checksums> {
    const of = async (table: CheckedTable): Promise<Checksum> => {
      const question = checksum(table, suffix, since);
      const [row] = await this.store.rows<{ rows: number | string; sum: string }>(question);
      return { rows: Number(row?.rows ?? 0), sum: row?.sum ?? '0' };
    };
    return { calls: await of('calls'), root_usage: await of('root_usage') };
  }

  private async command(query: string): Promise<void> {
    await this.store.client.command({ query });
  }
}
