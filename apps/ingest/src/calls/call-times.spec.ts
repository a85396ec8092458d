import { placedInTime } from './call-times.js';

const now = Date.UTC(2026, 2, 1) * 1000;
const correctedTimes = (...given: Parameters<typeof placedInTime>) =>
  placedInTime(...given).corrected;

describe('the times of a record', () => {
  it('are left alone when they can be true', () => {
    const times = { started_at: '2026-02-28T10:00:00.5Z', ended_at: '2026-03-01T23:00:00Z' };
    expect(correctedTimes(times, now)).toEqual({});
    expect(correctedTimes({ started_at: null }, now)).toEqual({});
  });

  it('are put where somebody will look when a clock is far off', () => {
    const times = { started_at: '1815-12-10T00:00:00Z', ended_at: '9999-01-01T00:00:00Z' };
    expect(correctedTimes(times, now)).toEqual({
      started_at: '2000-01-01T00:00:00.000000Z',
      ended_at: '2026-03-02T00:00:00.000000Z',
    });
  });

  it.each([
    ['2026-03-01T10:00:00Z', false],
    ['2026-02-01T00:00:00Z', false],
    ['2026-01-31T23:59:59.999999Z', true],
    ['1815-12-10T00:00:00Z', true],
    [null, false],
  ])('make a call that started at %s old: %s', (started_at, isOld) => {
    expect(placedInTime({ started_at, ended_at: '2026-01-01T00:00:00Z' }, now).isOld).toBe(isOld);
  });
});
