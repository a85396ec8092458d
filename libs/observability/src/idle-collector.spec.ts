import { setImmediate as nextTurn } from 'node:timers/promises';
import { garbageCollection, IdleCollector } from './idle-collector.js';

const MiB = 1024 * 1024;

describe('a process', () => {
  /** The looks of `[utilization, MiB]` at which it collects its heap, after which it has `remaining` MiB. */
  function collections(
    looks: readonly (readonly [utilization: number, mebibytes: number])[],
    remaining = 60,
  ): number[] {
    let current = 0;
    const at: number[] = [];
    const collector = new IdleCollector(() => {
      at.push(current);
      return remaining * MiB;
    });
    for (const [utilization, mebibytes] of looks) {
      collector.look({ utilization, bytes: mebibytes * MiB });
      current++;
    }
    return at;
  }
  const idle = (mebibytes: number) => [0.09, mebibytes] as const;
  const busy = (mebibytes: number) => [0.1, mebibytes] as const;

  it('collects its heap when it has grown and is idle for three seconds', () => {
    const looks = [busy(60), busy(400), idle(400), idle(400), idle(400)];
    expect(collections(looks)).toEqual([4]);
  });

  it('does not pause between two requests of a burst', () => {
    const looks = [busy(60), busy(400), idle(400), idle(400), busy(400), idle(400)];
    expect(collections(looks)).toEqual([]);
  });

  it('does not collect the little that small requests leave', () => {
    expect(collections([idle(60), idle(91), idle(91), idle(91)])).toEqual([]);
  });

  it('pauses at most every ten seconds', () => {
    const burst = [busy(60), idle(400), idle(400), idle(400)];
    const bursts = Array.from({ length: 12 }, () => burst).flat();
    const at = collections(bursts);
    expect(at.length).toBeGreaterThan(1);
    for (const [i, look] of at.slice(1).entries()) expect(look - at[i]!).toBeGreaterThanOrEqual(10);
  });

  it('waits longer each time when all of it was in use', () => {
    const looks = [busy(60), ...Array.from({ length: 400 }, () => idle(400))];
    const at = collections(looks, 390);
    expect(at.slice(1).map((look, i) => look - at[i]!)).toEqual([20, 40, 80, 160]);
  });

  it('does not wait longer for what came after that', () => {
    const inUse = Array.from({ length: 100 }, () => idle(400));
    const at = collections([busy(60), ...inUse, busy(600), idle(600), idle(600), idle(600)], 390);
    expect(at.at(-1)).toBe(104);
  });

  it('does not wait longer while collections help, also when more is in use than at the start', () => {
    const burst = [busy(500), ...Array.from({ length: 12 }, () => idle(500))];
    const at = collections([idle(60), ...burst, ...burst, ...burst], 110);
    expect(at).toEqual([4, 17, 30]);
  });

  it('really frees what is not in use', async () => {
    const freed = new WeakRef(new Array<number>(1000).fill(1));
    const used = new Array<number>(1000).fill(1);
    const kept = new WeakRef(used);
    await nextTurn();
    garbageCollection()();

    expect(freed.deref()).toBeUndefined();
    expect(kept.deref()).toBe(used);
  });
});
