import { FullDiskDecision, RESTART_WITHIN_MS } from './full-disk-watch.js';

const MINUTE = 60_000;
const free = { isFull: false, unreadableParts: 0 };
const full = { isFull: true, unreadableParts: 0 };

describe('the decision to restart ClickHouse after its disk was full', () => {
  it('is no while there is space and every part can be read', () => {
    const decision = new FullDiskDecision();

    expect([0, 1000, 2000].map((at) => decision.next(free, at))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('is yes once, when space is free again', () => {
    const decision = new FullDiskDecision();

    expect(decision.next(full, 0)).toBeUndefined();
    expect(decision.next(full, 1000)).toBeUndefined();
    expect(decision.next(free, 2000)).toMatch('its disk was full');
    expect(decision.next(free, 3000)).toBeUndefined();
  });

  it('is yes once while the disk stays full, before ClickHouse deletes the sources of its merges', () => {
    const decision = new FullDiskDecision();

    expect(decision.next(full, 0)).toBeUndefined();
    expect(decision.next(full, RESTART_WITHIN_MS)).toMatch('full for a minute');
    expect(decision.next(full, 9 * MINUTE)).toBeUndefined();
  });

  it('is yes once more when space is free after that, for merges since the restart', () => {
    const decision = new FullDiskDecision();
    decision.next(full, 0);
    decision.next(full, RESTART_WITHIN_MS);

    expect(decision.next(free, 10 * MINUTE)).toMatch('its disk was full');
    expect(decision.next(free, 11 * MINUTE)).toBeUndefined();
    expect(decision.next(full, 12 * MINUTE)).toBeUndefined();
    expect(decision.next(full, 12 * MINUTE + RESTART_WITHIN_MS)).toMatch('full for a minute');
  });

  it('is yes when ClickHouse fails to read a part, although no sample has found the disk full', () => {
    const decision = new FullDiskDecision();

    expect(decision.next({ isFull: false, unreadableParts: 3 }, 0)).toBeUndefined();
    expect(decision.next({ isFull: false, unreadableParts: 4 }, 1000)).toMatch(
      'cannot read a part',
    );
  });

  it('is yes for a part that cannot be read soon after a restart for a full disk', () => {
    const decision = new FullDiskDecision();
    decision.next(full, 0);
    expect(decision.next(free, 1000)).toMatch('its disk was full');

    expect(decision.next(free, 2000)).toBeUndefined();
    expect(decision.next({ isFull: false, unreadableParts: 1 }, 3000)).toMatch(
      'cannot read a part',
    );
  });

  it('is yes less and less often, at last once an hour, while restarts do not help', () => {
    const decision = new FullDiskDecision();
    const restarts: number[] = [];
    for (let minute = 0, errors = 0; minute < 12 * 60; minute++) {
      const reason = decision.next({ isFull: false, unreadableParts: errors++ }, minute * MINUTE);
      if (reason === undefined) continue;
      restarts.push(minute);
      errors = 0;
    }

    expect(restarts.slice(0, 5)).toEqual([1, 3, 5, 9, 17]);
    const pauses = restarts.slice(1).map((minute, i) => minute - restarts[i]!);
    expect(pauses.every((pause, i) => pause >= (pauses[i - 1] ?? 0) || pause >= 32)).toBe(true);
    expect(restarts.length).toBeLessThan(20);
  });

  it('ignores samples to which ClickHouse does not respond', () => {
    const decision = new FullDiskDecision();
    decision.next({ isFull: false, unreadableParts: 5 }, 0);

    expect(decision.next({ isFull: false, unreadableParts: undefined }, 1000)).toBeUndefined();
    expect(decision.next({ isFull: false, unreadableParts: 0 }, 2000)).toBeUndefined();
  });
});
