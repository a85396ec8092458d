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
    expect(decision.next(free, 10 * MINUTE)).toBeUndefined();
  });

  it('is yes when ClickHouse fails to read a part, although no sample has found the disk full', () => {
    const decision = new FullDiskDecision();

    expect(decision.next({ isFull: false, unreadableParts: 3 }, 0)).toBeUndefined();
    expect(decision.next({ isFull: false, unreadableParts: 4 }, 1000)).toMatch(
      'cannot read a part',
    );
  });

  it('is no for ten minutes when a restart did not help', () => {
    const decision = new FullDiskDecision();
    const failing = (count: number) => ({ isFull: false, unreadableParts: count });
    decision.next(failing(0), 0);
    expect(decision.next(failing(1), 1000)).toBeDefined();

    decision.next(failing(0), 2000);
    expect(decision.next(failing(1), 3000)).toBeUndefined();
    expect(decision.next(failing(2), 11 * MINUTE)).toBeDefined();
  });

  it('ignores samples to which ClickHouse does not respond', () => {
    const decision = new FullDiskDecision();
    decision.next({ isFull: false, unreadableParts: 5 }, 0);

    expect(decision.next({ isFull: false, unreadableParts: undefined }, 1000)).toBeUndefined();
    expect(decision.next({ isFull: false, unreadableParts: 0 }, 2000)).toBeUndefined();
  });
});
