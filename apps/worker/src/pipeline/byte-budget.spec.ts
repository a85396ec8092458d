import { ByteBudget } from './byte-budget.js';

const settled = async (promise: Promise<void>) => {
  let isDone = false;
  void promise.then(() => (isDone = true));
  await new Promise(setImmediate);
  return isDone;
};

describe('a byte budget', () => {
  it('makes callers wait until others have released their bytes', async () => {
    const budget = new ByteBudget(10);
    await budget.acquire(6);
    const second = budget.acquire(5);
    const third = budget.acquire(5);

    expect([await settled(second), await settled(third)]).toEqual([false, false]);
    budget.release(6);
    expect([await settled(second), await settled(third)]).toEqual([true, true]);
  });

  it('serves callers in order, so that a large one is not starved by small ones', async () => {
    const budget = new ByteBudget(10);
    await budget.acquire(4);
    await budget.acquire(4);
    const large = budget.acquire(9);
    const small = budget.acquire(2);

    expect([await settled(large), await settled(small)]).toEqual([false, false]);
    budget.release(4);
    expect([await settled(large), await settled(small)]).toEqual([false, false]);
    budget.release(4);
    expect([await settled(large), await settled(small)]).toEqual([true, false]);
    budget.release(9);
    expect(await settled(small)).toBe(true);
  });

  it('admits more than the whole budget when nothing else is in use', async () => {
    const budget = new ByteBudget(10);

    expect(await settled(budget.acquire(50))).toBe(true);
    const next = budget.acquire(1);
    expect(await settled(next)).toBe(false);
    budget.release(50);
    expect(await settled(next)).toBe(true);
  });
});
