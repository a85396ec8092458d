import { allDone } from './all-done.js';

describe('allDone', () => {
  it('rejects with the first error, after the last promise has settled', async () => {
    let end!: () => void;
    let hasEnded = false;
    const slow = new Promise<void>((resolve) => (end = resolve)).then(() => (hasEnded = true));
    const all = allDone([slow, Promise.reject(new Error('first')), Promise.reject(new Error('x'))]);
    setImmediate(end);

    await expect(all).rejects.toThrow('first');
    expect(hasEnded).toBe(true);
  });
});
