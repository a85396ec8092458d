import { micros, millis } from '@app/wire';
import { aCallRow } from '../../../../test/support/store.js';
import { insertsOf } from './calls.writer.js';

const NOW = millis(Date.UTC(2026, 2, 15));
const startedIn = (year: number, month: number) =>
  aCallRow({ started_at: micros(Date.UTC(year, month - 1, 20) * 1000) });
const months = (inserts: ReturnType<typeof insertsOf>) =>
  inserts.map((rows) =>
    rows.map((row) => new Date(row.started_at / 1000).toISOString().slice(0, 7)),
  );

describe('the inserts of a flush', () => {
  it('are empty without rows, and one for the two newest months', () => {
    expect(insertsOf([], NOW)).toEqual([]);
    const rows = [startedIn(2026, 3), startedIn(2026, 2), startedIn(2026, 3)];
    expect(insertsOf(rows, NOW)).toEqual([rows]);
  });

  it('separate the newest months from older ones, also across a new year', () => {
    const january = Date.UTC(2026, 0, 2);
    const rows = [startedIn(2025, 11), startedIn(2025, 12), startedIn(2026, 1)];

    expect(months(insertsOf(rows, millis(january)))).toEqual([['2025-12', '2026-01'], ['2025-11']]);
  });

  it('write at most twelve old partitions each: months, and years before 2024', () => {
    const rows = [2024, 2025].flatMap((year) =>
      [...Array(12).keys()].flatMap((month) => [
        startedIn(year, month + 1),
        startedIn(year, month + 1),
      ]),
    );
    const ancient = [2001, 2001, 2022, 2023].map((year, i) => startedIn(year, i + 1));
    const inserts = insertsOf([...rows].reverse(), NOW);

    expect(insertsOf(ancient, NOW)).toEqual([ancient]);
    expect(inserts).toHaveLength(2);
    for (const some of months(inserts)) expect(new Set(some).size).toBe(12);
    expect(new Set(inserts.flat())).toEqual(new Set(rows));
    expect(inserts.flat()).toHaveLength(rows.length);
  });
});
