import { Store, StoreRefusedError, type Table } from '@app/clickhouse';
import { AuditTrail, CallChanges, Ledger, QueueProgress } from '@app/queue';
import type { Redis, WriteGuard } from '@app/redis';
import { CallClaims } from '../../apps/worker/src/calls/call-claims.js';
import { CallsAwaitingStart } from '../../apps/worker/src/calls/calls-awaiting-start.js';
import { CallLog } from '../../apps/worker/src/calls/call-log.writer.js';
import { CallSnapshots } from '../../apps/worker/src/calls/call-snapshots.js';
import { CallsFlush, FlushOutcome } from '../../apps/worker/src/calls/calls.flush.js';
import { CallsWriter } from '../../apps/worker/src/calls/calls.writer.js';
import { CostsAtWrite } from '../../apps/worker/src/costs/costs-at-write.js';
import { DeadLetters } from '../../apps/worker/src/pipeline/dead-letters.writer.js';
import { FlushReceipts } from '../../apps/worker/src/pipeline/flush-receipts.writer.js';
import { CallRefolder } from '../../apps/worker/src/repair/call-refolder.js';
import { CallSweeper } from '../../apps/worker/src/repair/call-sweeper.js';
import { CallsRebuild } from '../../apps/worker/src/repair/calls-rebuild.js';
import { RecordLog } from '../../apps/worker/src/records/record-log.reader.js';
import { RecordsWriter } from '../../apps/worker/src/records/records.writer.js';
import { RecordsRebuild } from '../../apps/worker/src/repair/records-rebuild.js';
import { RewriteLock } from '../../apps/worker/src/repair/rewrite-lock.js';
import { ShadowRebuild } from '../../apps/worker/src/repair/shadow-rebuild.js';
import { ShadowTables } from '../../apps/worker/src/repair/shadow-tables.js';

/** Accepts every write. */
export const WRITABLE = {
  requireWritable: () => Promise.resolve(),
  confirmed: <T>(write: Promise<T>) => write,
} as unknown as WriteGuard;

export const writerOn = (store: Store) => new CallsWriter(store, new CostsAtWrite(store));

/** The flush of one worker. */
export function flushOn(
  store: Store,
  redis: Redis,
  log = new CallLog(store),
  openCallsMaxBytes = 1 << 20,
  claims = new CallClaims(redis),
): CallsFlush {
  const outcome = new FlushOutcome(
    new DeadLetters(store),
    new FlushReceipts(store),
    new CallChanges(redis),
    new AuditTrail(redis, WRITABLE),
  );
  const awaitingStart = new CallsAwaitingStart(redis);
  const snapshots = new CallSnapshots(log, claims, awaitingStart, { openCallsMaxBytes });
  return new CallsFlush(log, snapshots, writerOn(store), outcome);
}

export function repairsOn(store: Store, redis: Redis, shadows = new ShadowTables(store)) {
  const deadLetters = new DeadLetters(store);
  const refolder = new CallRefolder(store, new CallLog(store), writerOn(store), deadLetters);
  const sweeper = new CallSweeper(store, refolder, new Ledger(redis), new RewriteLock(redis));
  const shadow = new ShadowRebuild(store, redis, shadows, new RewriteLock(redis));
  return { refolder, sweeper, rebuild: new CallsRebuild(shadow, refolder) };
}

/** The rebuild of records, as one process has it. */
export function recordsRebuildOn(store: Store, redis: Redis): RecordsRebuild {
  const shadow = new ShadowRebuild(store, redis, new ShadowTables(store), new RewriteLock(redis));
  const progress = new QueueProgress(redis);
  return new RecordsRebuild(shadow, new RecordLog(store), new RecordsWriter(store), progress);
}

/** Refuses every insert into one table that contains the poison, as ClickHouse refuses a whole insert for one row. */
export class Refusing extends Store {
  constructor(
    store: Store,
    private readonly table: string,
    private readonly poison: string,
    /** 0 stands for a row that cannot be encoded, which needs no evidence that ClickHouse accepts other writes. */
    private readonly code = 0,
  ) {
    super(store.client, store.topology);
  }

  override insert<Row>(table: Table<Row>, rows: readonly Row[]): Promise<void> {
    const isPoisoned = rows.some((row) => Object.values(row as object).includes(this.poison));
    const isRefused = isPoisoned && withoutOwner(table.name) === this.table;
    if (!isRefused) return super.insert(table, rows);
    return Promise.reject(new StoreRefusedError('poison', this.code));
  }
}

/** The table of a rebuild without the suffix that is new every time. */
const withoutOwner = (name: string): string => name.replace(/_[0-9a-f]{8}$/, '');
