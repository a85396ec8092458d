import { nextRunAt } from './retention-preview.reader.js';

const at = (text: string) => Date.parse(text);

describe('the next run of the expiry', () => {
  it.each([
    ['tonight before the hour', null, '2026-03-01T01:00:00Z', '2026-03-01T02:00:00Z'],
    ['now when it was missed', '2026-02-28', '2026-03-01T12:30:00Z', '2026-03-01T12:30:00Z'],
    ['tomorrow when it has run', '2026-03-01', '2026-03-01T12:30:00Z', '2026-03-02T02:00:00Z'],
  ])('is %s', (_when, lastNight, now, expected) => {
    expect(nextRunAt(lastNight, at(now))).toBe(at(expected));
  });
});
