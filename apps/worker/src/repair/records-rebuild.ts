import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { raw, sql, type Sql } from '@app/clickhouse';
import { QueueProgress } from '@app/queue';
import { millis, nowMillis, type Millis } from '@app/wire';
import { RecordLog, type LogRange } from '../records/record-log.reader.js';
import { recordRows } from '../records/record-rows.js';
import { RecordsWriter } from '../records/records.writer.js';
import { RECORDS_TABLES } from './rebuilt-tables.js';
import { ShadowRebuild, type RebuildPlan, type RebuiltTable } from './shadow-rebuild.js';

/** The clocks of ingest processes may differ by this much. */
const MARGIN_MS = 120_000;
const POLL_MS = 100;

export interface RebuiltRecords {
  readonly facts: number;
  /** Facts that arrived during the rebuild and were projected again afterwards. */
  readonly again: number;
  readonly tables: readonly RebuiltTable[];
}

/** Rebuilds the tables of records from the log. */
@Injectable()
export class RecordsRebuild {
  constructor(
    private readonly shadow: ShadowRebuild,
    private readonly log: RecordLog,
    private readonly writer: RecordsWriter,
    private readonly queueProgress: QueueProgress,
  ) {}

  /** Writes the rows of every fact in the range. Existing rows do not change. */
  async project(
    range: LogRange,
    suffix = '',
    progress: (facts: number) => void = () => undefined,
  ): Promise<number> {
    let facts = 0;
    for await (const batch of this.log.facts(range)) {
      await this.writer.project(batch.flatMap(recordRows), suffix);
      facts += batch.length;
      progress(facts);
    }
    return facts;
  }

  /** Rejects with RewriteRunningError while another rebuild, erasure or expiry runs. */
  async run(
    progress: (done: number, total: number) => void,
    allowFewerRows = false,
  ): Promise<RebuiltRecords> {
    const { oldestMs } = await this.queueProgress.read('records');
    const plan: RebuildPlan<string, number> = {
      ...this.recovery,
      since: millis(Date.now() - oldestMs - MARGIN_MS),
      fill: (suffix, signal) => this.fill(suffix, progress, signal),
      checksum,
    };
    const { filled, caughtUp, tables } = await this.shadow.run(plan, allowFewerRows);
    return { facts: filled, again: caughtUp, tables };
  }

  /** Finishes a rebuild that was interrupted. Resolves to whether there was one. */
  recover(): Promise<boolean> {
    return this.shadow.recover(this.recovery);
  }

  private readonly recovery = {
    name: 'records',
    tables: RECORDS_TABLES,
    catchUp: async (receivedFrom: Millis) => {
      await this.waitUntilSettled(nowMillis());
      return this.project({ receivedFrom });
    },
  };

  private async fill(
    suffix: string,
    progress: (done: number, total: number) => void,
    signal: AbortSignal,
  ): Promise<number> {
    const total = await this.log.count();
    const facts = await this.project({}, suffix, (done) => {
      signal.throwIfAborted();
      progress(done, Math.max(done, total));
    });
    await this.writer.copyDefaultPrices(suffix);
    return facts;
  }

  /** What was on its way at that time may have reached the old tables only; its log is read once it is all there. */
  private async waitUntilSettled(time: Millis): Promise<void> {
    for (;;) {
      const now = nowMillis();
      const { oldestMs } = await this.queueProgress.read('records', now);
      if (now - oldestMs >= time) return;
      await sleep(POLL_MS);
    }
  }
}

const checksum = (table: string, suffix: string): Sql =>
  sql`SELECT count() AS rows, toString(groupBitXor(cityHash64(formatRow('TSV', *)))) AS sum FROM ${raw(`${table}${suffix}`)} FINAL`;
