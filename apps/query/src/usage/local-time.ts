import { bind, sql, type Sql } from '@app/clickhouse';
import { ProblemError } from '@app/http';
import { millis, type Millis } from '@app/wire';

const DAY_MS = 86_400_000;

/** From a timestamp on, clocks are `offset` seconds ahead of UTC. */
interface OffsetPeriod {
  readonly from: Millis;
  readonly offset: number;
}

/** Local time in a time zone. Computed here, so that ClickHouse need not have the same time zone database. */
export class LocalTime {
  private readonly format: Intl.DateTimeFormat;

  constructor(readonly zone: string) {
    this.format = formatOf(zone);
  }

  /** Seconds ahead of UTC. */
  offsetAt(timestamp: Millis): number {
    const shown = Object.fromEntries(
      this.format.formatToParts(timestamp).map(({ type, value }) => [type, Number(value)]),
    );
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = shown;
    const local = Date.UTC(year, month - 1, day, hour, minute, second);
    return Math.round((local - Math.floor(timestamp / 1000) * 1000) / 1000);
  }

  /** The UTC timestamp of a local time in seconds; the earlier one when clocks show it twice. */
  utc(local: number): Millis {
    const offset = this.offsetAt(timestampOf(local - this.offsetAt(timestampOf(local))));
    const early = this.offsetAt(millis(timestampOf(local - offset) - DAY_MS));
    const first = timestampOf(local - Math.max(offset, early));
    return this.offsetAt(first) === Math.max(offset, early) ? first : timestampOf(local - offset);
  }

  /** The local time of `startedAt` in whole seconds, for timestamps within this range. */
  secondsSql(startedAt: Sql, from: Millis, to: Millis): Sql {
    const seconds = sql`intDiv(toUnixTimestamp64Micro(${startedAt}), 1000000)`;
    const periods = this.periods(from, to);
    const offsets = bind(
      'Array(Int32)',
      periods.map(({ offset }) => offset),
    );
    if (periods.length === 1) return sql`(${seconds} + ${offsets}[1])`;
    const froms = bind(
      'Array(Int64)',
      periods.map(({ from }, i) => (i === 0 ? 0 : Math.floor(from / 1000))),
    );
    return sql`(${seconds} + ${offsets}[arrayLastIndex(since -> since <= ${seconds}, ${froms})])`;
  }

  private periods(from: Millis, to: Millis): OffsetPeriod[] {
    const periods: OffsetPeriod[] = [{ from, offset: this.offsetAt(from) }];
    for (let at = from; at < to; at = millis(at + DAY_MS)) {
      const next = millis(Math.min(at + DAY_MS, to));
      const offset = this.offsetAt(next);
      if (offset !== periods.at(-1)!.offset) periods.push({ from: this.change(at, next), offset });
    }
    return periods;
  }

  /** The first second after `from` at which the offset differs. */
  private change(from: Millis, to: Millis): Millis {
    const before = this.offsetAt(from);
    let [low, high] = [Math.floor(from / 1000), Math.ceil(to / 1000)];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (this.offsetAt(timestampOf(middle)) === before) low = middle;
      else high = middle;
    }
    return timestampOf(high);
  }
}

const timestampOf = (seconds: number): Millis => millis(seconds * 1000);

function formatOf(zone: string): Intl.DateTimeFormat {
  const part = { year: 'numeric', month: 'numeric', day: 'numeric' } as const;
  const time = { hour: 'numeric', minute: 'numeric', second: 'numeric' } as const;
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: zone, hourCycle: 'h23', ...part, ...time });
  } catch {
    const shown = JSON.stringify(zone.slice(0, 60));
    throw new ProblemError('invalid_request', `timezone: there is no time zone ${shown}.`);
  }
}
