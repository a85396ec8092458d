import { millis } from '@app/wire';
import { aFact } from '../../../../test/support/facts.js';
import { anIdMadeAt } from '../../../../test/support/records.js';
import { isYoungCall } from './call-claims.js';

const NOON = millis(Date.UTC(2026, 10, 1, 12));
const at = (minutes: number) => new Date(NOON + minutes * 60_000).toISOString();
const aStartAt = (minutes: number, callId = 'c1') =>
  aFact('start', { callId, item: { started_at: at(minutes) } });

describe('a young call', () => {
  it('began a few minutes ago, by its start and by its id', () => {
    expect(isYoungCall([aStartAt(-1)], NOON)).toBe(true);
    expect(isYoungCall([aStartAt(-4, anIdMadeAt(at(-4))), aFact('end')], NOON)).toBe(true);
    expect(isYoungCall([aStartAt(1)], NOON)).toBe(true);
  });

  it('did not begin before the claims that Redis has forgotten, or in the future', () => {
    expect(isYoungCall([aStartAt(-6)], NOON)).toBe(false);
    expect(isYoungCall([aStartAt(-1), aStartAt(-6)], NOON)).toBe(false);
    expect(isYoungCall([aStartAt(3)], NOON)).toBe(false);
    expect(isYoungCall([aStartAt(-1, anIdMadeAt(at(-30)))], NOON)).toBe(false);
  });

  it('has a start', () => {
    expect(isYoungCall([aFact('end'), aFact('rename')], NOON)).toBe(false);
  });
});
