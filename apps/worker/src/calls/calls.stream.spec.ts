import { FlushPriority } from './calls.stream.js';

const NO_LIMIT_MS = 1_000_000;

/** Work that ends when the test ends it. */
function work() {
  let end!: () => void;
  const done = new Promise<void>((resolve) => (end = resolve));
  return { run: () => done, end };
}

describe('the priority of the fast lane', () => {
  it('delays nothing while no flush of the fast lane runs', async () => {
    await expect(new FlushPriority(NO_LIMIT_MS).yieldToFast()).resolves.toBeUndefined();
  });

  it('delays others until the last flush has ended, also when it failed', async () => {
    const priority = new FlushPriority(NO_LIMIT_MS);
    const [one, other] = [work(), work()];
    const flushes = [
      priority.runFirst(one.run),
      priority.runFirst(() =>
        other.run().then(() => Promise.reject(new Error('store unavailable'))),
      ),
    ];
    let hasResumed = false;
    const yielded = priority.yieldToFast().then(() => (hasResumed = true));

    one.end();
    await flushes[0];
    expect(hasResumed).toBe(false);
    other.end();
    await expect(flushes[1]).rejects.toThrow('store unavailable');
    await yielded;
    expect(hasResumed).toBe(true);
  });

  it('delays others no longer than the limit', async () => {
    const priority = new FlushPriority(1);
    const long = work();
    const flushes = priority.runFirst(long.run);

    await priority.yieldToFast();
    long.end();
    await flushes;
  });
});
