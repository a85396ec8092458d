import { LocalTime } from './local-time.js';

const at = (iso: string) => Date.parse(iso);

describe('what clocks show', () => {
  const berlin = new LocalTime('Europe/Berlin');

  it.each([
    ['2026-01-01T00:00:00Z', 3600],
    ['2026-03-29T00:59:59Z', 3600],
    ['2026-03-29T01:00:00Z', 7200],
    ['2026-10-25T01:00:00Z', 3600],
  ])('at %s is %d seconds ahead in Berlin', (moment, offset) => {
    expect(berlin.offsetAt(at(moment))).toBe(offset);
  });

  it.each([
    ['2026-01-01T00:00:00Z', '2025-12-31T23:00:00Z'],
    ['2026-07-01T00:00:00Z', '2026-06-30T22:00:00Z'],
    ['2026-10-25T02:30:00Z', '2026-10-25T00:30:00Z'],
    ['2026-10-26T00:00:00Z', '2026-10-25T23:00:00Z'],
    ['2026-03-29T00:00:00Z', '2026-03-28T23:00:00Z'],
  ])('%s on the wall is %s', (wall, moment) => {
    expect(new Date(berlin.momentOf(at(wall) / 1000)).toISOString()).toBe(
      new Date(moment).toISOString(),
    );
  });

  it('knows every zone, or says that it is none', () => {
    expect(new LocalTime('Asia/Kolkata').offsetAt(0)).toBe(19800);
    expect(() => new LocalTime('Mars/Base')).toThrow('no time zone "Mars/Base"');
  });
});
