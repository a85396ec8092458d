import { ByteBudget } from './byte-budget.js';

const settled = async (promise: Promise<void>) => {
  let isDone = false;
  void promise.then(() => (isDone = true));
  await new Promise(setImmediate);
  return isDone;
};

describe('bytes held in memory', () => {
  it('are bounded, and those who wait get in as others leave', async () => {
    const held = new ByteBudget(10);
    await held.take(6);
    const second = held.take(5);
    const third = held.take(5);

    expect([await settled(second), await settled(third)]).toEqual([false, false]);
    held.release(6);
    expect([await settled(second), await settled(third)]).toEqual([true, true]);
  });

  it('are given in turn, so that something large gets in although small ones keep coming', async () => {
    const held = new ByteBudget(10);
    await held.take(4);
    await held.take(4);
    const large = held.take(9);
    const small = held.take(2);

    expect([await settled(large), await settled(small)]).toEqual([false, false]);
    held.release(4);
    expect([await settled(large), await settled(small)]).toEqual([false, false]);
    held.release(4);
    expect([await settled(large), await settled(small)]).toEqual([true, false]);
    held.release(9);
    expect(await settled(small)).toBe(true);
  });

  it('may be too many for the bound if nobody else holds any', async () => {
    const held = new ByteBudget(10);

    expect(await settled(held.take(50))).toBe(true);
    const next = held.take(1);
    expect(await settled(next)).toBe(false);
    held.release(50);
    expect(await settled(next)).toBe(true);
  });
});
