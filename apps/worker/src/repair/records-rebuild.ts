import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import {
  FEEDBACK,
  OBJECT_ALIASES,
  OBJECT_TAGS,
  OBJECTS,
  PRICES,
  PROJECTS,
  raw,
  sql,
  TABLES,
  type Sql,
} from '@app/clickhouse';
import { QueueProgress } from '@app/queue';
import { millis, nowMillis, type Millis } from '@app/wire';
import { RecordLog, type LogRange } from '../records/record-log.reader.js';
import { recordRows } from '../records/record-rows.js';
import { RecordsWriter } from '../records/records.writer.js';
import { ShadowRebuild, type RebuiltTable } from './shadow-rebuild.js';

/** What follows from the log. Rows of tables and pieces of files do not: they are a part of it. */
const PROJECTIONS = [OBJECTS, OBJECT_TAGS, OBJECT_ALIASES, TABLES, FEEDBACK, PRICES, PROJECTS].map(
  ({ name }) => name,
);
/** Clocks of the processes that receive facts may differ by as much. */
const MARGIN_MS = 120_000;
const LOOK_EVERY_MS = 100;

export interface RebuiltRecords {
  readonly facts: number;
  /** Facts that came while the rebuild ran, projected once more afterwards. */
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
    private readonly progress: QueueProgress,
  ) {}

  /** Writes every row that the facts add up to. Rows that are there already stay as they are. */
  async project(
    range: LogRange,
    suffix = '',
    tell: (facts: number) => void = () => undefined,
  ): Promise<number> {
    let facts = 0;
    for await (const some of this.log.facts(range)) {
      await this.writer.project(some.flatMap(recordRows), suffix);
      facts += some.length;
      tell(facts);
    }
    return facts;
  }

  /** Rejects with RebuildRunningError while another rebuild of records runs. */
  async run(tell: (done: number, total: number) => void): Promise<RebuiltRecords> {
    const { oldestMs } = await this.progress.read('records');
    const receivedFrom = millis(Date.now() - oldestMs - MARGIN_MS);
    const { filled, caughtUp, tables } = await this.shadow.run({
      name: 'records',
      tables: PROJECTIONS,
      fill: (suffix) => this.fill(suffix, tell),
      checksum,
      catchUp: async () => {
        await this.nothingOlderPending(nowMillis());
        return this.project({ receivedFrom });
      },
    });
    return { facts: filled, again: caughtUp, tables };
  }

  private async fill(suffix: string, tell: (done: number, total: number) => void): Promise<number> {
    const total = await this.log.count();
    const facts = await this.project({}, suffix, (done) => tell(done, Math.max(done, total)));
    await this.writer.copyDefaultPrices(suffix);
    return facts;
  }

  /** What was on its way at that time may have reached the old tables only; its log is read once it is all there. */
  private async nothingOlderPending(time: Millis): Promise<void> {
    for (;;) {
      const now = nowMillis();
      const { oldestMs } = await this.progress.read('records', now);
      if (now - oldestMs >= time) return;
      await sleep(LOOK_EVERY_MS);
    }
  }
}

const checksum = (table: string, suffix: string): Sql =>
  sql`SELECT count() AS rows, toString(groupBitXor(cityHash64(formatRow('TSV', *)))) AS sum FROM ${raw(`${table}${suffix}`)} FINAL`;
