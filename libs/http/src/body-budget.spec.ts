import { BodyBudget, COUNTED_MIN_BYTES } from './body-budget.js';

const unit = COUNTED_MIN_BYTES;

const budget = (maxWaitMs = 60_000) => new BodyBudget({ maxBytes: 100 * unit, maxWaitMs });
const stays = () => new AbortController().signal;
const settled = async (promise: Promise<unknown>): Promise<boolean> =>
  Promise.race([
    promise.then(() => true),
    new Promise<false>((later) => setImmediate(later, false)),
  ]);

describe('the memory for request bodies', () => {
  it('is at most half for one tenant, and the rest for others', async () => {
    const memory = budget();
    await memory.reserve('loud', 40 * unit, stays());
    const second = memory.reserve('loud', 40 * unit, stays());

    expect(await settled(second)).toBe(false);
    expect(await settled(memory.reserve('quiet', 40 * unit, stays()))).toBe(true);
  });

  it('is given to those that wait in the order of their arrival', async () => {
    const memory = budget();
    const first = await memory.reserve('a', 50 * unit, stays());
    await memory.reserve('b', 50 * unit, stays());
    const order: string[] = [];
    const third = memory.reserve('c', 30 * unit, stays()).then(() => order.push('c'));
    const fourth = memory.reserve('d', 10 * unit, stays()).then(() => order.push('d'));

    first.release();
    await Promise.all([third, fourth]);

    expect(order).toEqual(['c', 'd']);
  });

  it('is enough for the largest bodies, which count as half of it', async () => {
    const memory = budget();
    await memory.reserve('a', 300 * unit, stays());

    expect(await settled(memory.reserve('a', unit, stays()))).toBe(false);
    expect(await settled(memory.reserve('b', 300 * unit, stays()))).toBe(true);
    expect(await settled(memory.reserve('c', unit, stays()))).toBe(false);
  });

  it('is not given to later bodies while a large one waits for it', async () => {
    const memory = budget();
    const first = await memory.reserve('a', 50 * unit, stays());
    await memory.reserve('b', 30 * unit, stays());
    const large = memory.reserve('c', 50 * unit, stays());
    const small = memory.reserve('d', 10 * unit, stays());
    expect(await settled(small)).toBe(false);

    first.release();

    expect(await settled(Promise.all([large, small]))).toBe(true);
  });

  it('is not there for a body that grows while others use it', async () => {
    const memory = budget();
    const first = await memory.reserve('a', 40 * unit, stays());
    const other = memory.open('a');
    other.growTo(10 * unit);

    expect(() => other.growTo(11 * unit)).toThrow('nothing is stored, retry later');
    first.release();
    other.growTo(300 * unit);
  });

  it('is released once, also when release is called twice', async () => {
    const memory = budget();
    const share = await memory.reserve('a', 50 * unit, stays());
    await memory.reserve('b', 50 * unit, stays());
    share.release();
    share.release();
    share.growTo(50 * unit);

    await memory.reserve('c', 50 * unit, stays());
    expect(await settled(memory.reserve('d', 1 * unit, stays()))).toBe(false);
  });

  it('is not waited for without end', async () => {
    const memory = budget(5);
    await memory.reserve('a', 50 * unit, stays());
    await memory.reserve('c', 50 * unit, stays());

    await expect(memory.reserve('b', 10 * unit, stays())).rejects.toMatchObject({
      code: 'bodies_busy',
      retryAfterSeconds: 2,
    });
  });

  it('is not kept for a client that has left', async () => {
    const memory = budget();
    const first = await memory.reserve('a', 50 * unit, stays());
    const client = new AbortController();
    const gone = memory.reserve('a', 50 * unit, client.signal);

    client.abort();

    await expect(gone).rejects.toMatchObject({ code: 'bodies_busy' });
    first.release();
    expect(await settled(memory.reserve('a', 50 * unit, stays()))).toBe(true);
  });
});
