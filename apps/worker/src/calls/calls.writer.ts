import { Injectable } from '@nestjs/common';
import { CALLS, Store, type CallRow } from '@app/clickhouse';

/** Every month is a partition, and every partition of an insert costs a part: 320 of them took seven seconds. */
const OLD_MONTHS_PER_INSERT = 12;

@Injectable()
export class CallsWriter {
  constructor(private readonly store: Store) {}

  /** Resolves when ClickHouse has stored the rows. Writing a row twice leaves the same call. */
  async write(rows: readonly CallRow[], now = Date.now()): Promise<void> {
    for (const some of insertsOf(rows, now)) await this.store.insert(CALLS, some);
  }
}

/** The two newest months together; older ones apart, a few months at a time. */
export function insertsOf(rows: readonly CallRow[], now: number): CallRow[][] {
  const newest = monthOf(now * 1000) - 1;
  const recent = rows.filter((row) => monthOf(row.started_at) >= newest);
  if (recent.length === rows.length) return recent.length === 0 ? [] : [recent];
  const old = new Map<number, CallRow[]>();
  for (const row of rows) {
    const month = monthOf(row.started_at);
    if (month >= newest) continue;
    const group = old.get(month);
    if (group === undefined) old.set(month, [row]);
    else group.push(row);
  }
  const months = [...old.values()];
  const inserts = recent.length === 0 ? [] : [recent];
  for (let at = 0; at < months.length; at += OLD_MONTHS_PER_INSERT) {
    inserts.push(months.slice(at, at + OLD_MONTHS_PER_INSERT).flat());
  }
  return inserts;
}

/** Months since year 0. */
function monthOf(micros: number): number {
  const date = new Date(micros / 1000);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}
