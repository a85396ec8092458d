import { millis } from '@app/wire';
import { LocalTime } from './local-time.js';

const at = (iso: string) => Date.parse(iso);

describe('local time', () => {
  const berlin = new LocalTime('Europe/Berlin');

  it.each([
    ['2026-01-01T00:00:00Z', 3600],
    ['2026-03-29T00:59:59Z', 3600],
    ['2026-03-29T01:00:00Z', 7200],
    ['2026-10-25T01:00:00Z', 3600],
  ])('at %s is %d seconds ahead in Berlin', (timestamp, offset) => {
    expect(berlin.offsetAt(millis(at(timestamp)))).toBe(offset);
  });

  it.each([
    ['2026-01-01T00:00:00Z', '2025-12-31T23:00:00Z'],
    ['2026-07-01T00:00:00Z', '2026-06-30T22:00:00Z'],
    ['2026-10-25T02:30:00Z', '2026-10-25T00:30:00Z'],
    ['2026-10-26T00:00:00Z', '2026-10-25T23:00:00Z'],
    ['2026-03-29T00:00:00Z', '2026-03-28T23:00:00Z'],
  ])('%s in Berlin is %s in UTC', (local, timestamp) => {
    expect(new Date(berlin.utc(at(local) / 1000)).toISOString()).toBe(
      new Date(timestamp).toISOString(),
    );
  });

  it('has every IANA time zone and refuses any other name', () => {
    expect(new LocalTime('Asia/Kolkata').offsetAt(millis(0))).toBe(19800);
    expect(() => new LocalTime('Mars/Base')).toThrow('no time zone "Mars/Base"');
  });
});
