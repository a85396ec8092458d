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
  Store,
  TABLES,
} from '@app/clickhouse';
import { QueueProgress } from '@app/queue';
import { RecordLog, type LogRange } from './record-log.reader.js';
import { recordRows } from './record-rows.js';
import { RecordsWriter } from './records.writer.js';

/** What follows from the log. Rows of tables and pieces of files do not: they are a part of it. */
const PROJECTIONS = [OBJECTS, OBJECT_TAGS, OBJECT_ALIASES, TABLES, FEEDBACK, PRICES, PROJECTS].map(
  ({ name }) => name,
);
const BESIDE = '_rebuild';
/** Clocks of the processes that receive facts may differ by as much. */
const MARGIN_MS = 120_000;
const LOOK_EVERY_MS = 100;

/** Default prices are imported, not facts of a project: they are taken over as they are. */
const KEEP_DEFAULT_PRICES = `INSERT INTO prices${BESIDE} SELECT * FROM prices WHERE level = 'default'`;

export interface Checksum {
  readonly rows: number;
  readonly sum: string;
}

export interface RebuiltTable {
  readonly table: string;
  readonly before: Checksum;
  readonly after: Checksum;
}

export interface RebuiltRecords {
  readonly facts: number;
  /** Facts that came while the rebuild ran, projected once more afterwards. */
  readonly again: number;
  readonly tables: readonly RebuiltTable[];
}

/** Makes the tables about records from the log again. */
@Injectable()
export class RecordsRebuild {
  constructor(
    private readonly store: Store,
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

  /** Makes them anew while writing goes on: all of the log beside them, then both exchanged, then what came meanwhile. */
  async run(tell: (done: number, total: number) => void): Promise<RebuiltRecords> {
    const { oldestMs } = await this.progress.read('records');
    const receivedFrom = Date.now() - Math.max(MARGIN_MS, oldestMs + MARGIN_MS);
    for (const table of PROJECTIONS) {
      await this.command(`DROP TABLE IF EXISTS ${table}${BESIDE}`);
      await this.command(`CREATE TABLE ${table}${BESIDE} AS ${table}`);
    }
    const total = await this.log.count();
    const facts = await this.project({}, BESIDE, (done) => tell(done, Math.max(done, total)));
    await this.command(KEEP_DEFAULT_PRICES);
    const tables: RebuiltTable[] = [];
    for (const table of PROJECTIONS) {
      const before = await this.checksum(table);
      tables.push({ table, before, after: await this.checksum(`${table}${BESIDE}`) });
      await this.command(`EXCHANGE TABLES ${table} AND ${table}${BESIDE}`);
    }
    await this.nothingOlderPending(Date.now());
    const again = await this.project({ receivedFrom });
    for (const table of PROJECTIONS) await this.command(`DROP TABLE ${table}${BESIDE}`);
    return { facts, again, tables };
  }

  /** What was on its way at that moment may have reached the old tables only; its log is read once it is all there. */
  private async nothingOlderPending(moment: number): Promise<void> {
    for (;;) {
      const now = Date.now();
      const { oldestMs } = await this.progress.read('records', now);
      if (now - oldestMs >= moment) return;
      await sleep(LOOK_EVERY_MS);
    }
  }

  private async checksum(table: string): Promise<Checksum> {
    const [row] = await this.store.rows<{ rows: number | string; sum: string }>(
      sql`SELECT count() AS rows, toString(groupBitXor(cityHash64(formatRow('TSV', *)))) AS sum FROM ${raw(table)} FINAL`,
    );
    return { rows: Number(row?.rows ?? 0), sum: row?.sum ?? '0' };
  }

  private async command(query: string): Promise<void> {
    await this.store.client.command({ query });
  }
}
