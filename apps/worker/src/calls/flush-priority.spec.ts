import { FlushPriority } from './flush-priority.js';

const FOR_EVER = 1_000_000;

/** Work that is over when it is told to be. */
function work() {
  let end!: () => void;
  const done = new Promise<void>((resolve) => (end = resolve));
  return { run: () => done, end };
}

describe('right of way', () => {
  it('is there for the asking when nobody has taken it', async () => {
    await expect(new FlushPriority(FOR_EVER).yieldToFast()).resolves.toBeUndefined();
  });

  it('is given until the last who took it is done, however that ends', async () => {
    const way = new FlushPriority(FOR_EVER);
    const [one, other] = [work(), work()];
    const taken = [
      way.runFirst(one.run),
      way.runFirst(() => other.run().then(() => Promise.reject(new Error('store away')))),
    ];
    let isClear = false;
    const given = way.yieldToFast().then(() => (isClear = true));

    one.end();
    await taken[0];
    expect(isClear).toBe(false);
    other.end();
    await expect(taken[1]).rejects.toThrow('store away');
    await given;
    expect(isClear).toBe(true);
  });

  it('is not given for ever', async () => {
    const way = new FlushPriority(1);
    const long = work();
    const taken = way.runFirst(long.run);

    await way.yieldToFast();
    long.end();
    await taken;
  });
});
