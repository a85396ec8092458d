import { correctedTimes } from './call-times.js';

const now = Date.UTC(2026, 2, 1) * 1000;

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
});
