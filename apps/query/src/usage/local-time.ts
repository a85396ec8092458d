import { bind, sql, type Sql } from '@app/clickhouse';
import { ProblemError } from '@app/http';

const DAY_MS = 86_400_000;

/** From a moment on (milliseconds), clocks are this many seconds ahead of UTC. */
interface Piece {
  readonly from: number;
  readonly offset: number;
}

/** What clocks show in a time zone. Worked out here, so that the store need not know the same zones as we do. */
export class LocalTime {
  private readonly format: Intl.DateTimeFormat;

  constructor(readonly zone: string) {
    this.format = formatOf(zone);
  }

  /** Seconds ahead of UTC at a moment (milliseconds). */
  offsetAt(ms: number): number {
    const shown = Object.fromEntries(
      this.format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]),
    );
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = shown;
    const local = Date.UTC(year, month - 1, day, hour, minute, second);
    return Math.round((local - Math.floor(ms / 1000) * 1000) / 1000);
  }

  /** The moment (milliseconds) at which clocks show this, given as seconds; the first of two. */
  momentOf(local: number): number {
    const offset = this.offsetAt((local - this.offsetAt(local * 1000)) * 1000);
    const early = this.offsetAt((local - offset) * 1000 - DAY_MS);
    const first = (local - Math.max(offset, early)) * 1000;
    return this.offsetAt(first) === Math.max(offset, early) ? first : (local - offset) * 1000;
  }

  /** What clocks show at `startedAt`, in whole seconds, for moments between these two (milliseconds). */
  secondsSql(startedAt: Sql, fromMs: number, toMs: number): Sql {
    const seconds = sql`intDiv(toUnixTimestamp64Micro(${startedAt}), 1000000)`;
    const pieces = this.pieces(fromMs, toMs);
    const offsets = bind(
      'Array(Int32)',
      pieces.map(({ offset }) => offset),
    );
    if (pieces.length === 1) return sql`(${seconds} + ${offsets}[1])`;
    const froms = bind(
      'Array(Int64)',
      pieces.map(({ from }, i) => (i === 0 ? 0 : Math.floor(from / 1000))),
    );
    return sql`(${seconds} + ${offsets}[arrayLastIndex(since -> since <= ${seconds}, ${froms})])`;
  }

  private pieces(fromMs: number, toMs: number): Piece[] {
    const pieces: Piece[] = [{ from: fromMs, offset: this.offsetAt(fromMs) }];
    for (let at = fromMs; at < toMs; at += DAY_MS) {
      const next = Math.min(at + DAY_MS, toMs);
      const offset = this.offsetAt(next);
      if (offset !== pieces.at(-1)!.offset) pieces.push({ from: this.change(at, next), offset });
    }
    return pieces;
  }

  /** The first second after `from` at which clocks show another time than before. */
  private change(from: number, to: number): number {
    const before = this.offsetAt(from);
    let [low, high] = [Math.floor(from / 1000), Math.ceil(to / 1000)];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (this.offsetAt(middle * 1000) === before) low = middle;
      else high = middle;
    }
    return high * 1000;
  }
}

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
