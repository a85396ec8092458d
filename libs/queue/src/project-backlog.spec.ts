import type { Redis } from '@app/redis';
import { ProjectBacklog } from './project-backlog.js';

type Hmget = (key: string, ...projects: string[]) => Promise<(string | null)[]>;

/** A limiter whose Redis has only `hmget`. */
function limiterWith(hmget: Hmget, maxPendingBytes = 1000): ProjectBacklog {
  const unlimited = {
    maxNewPerHour: 0,
    maxRejectedPerHour: 0,
    maxFactsPerSecond: 0,
    maxRequestsPerSecond: 0,
    maxBytesPerSecond: 0,
  };
  const redis = { hmget } as unknown as Redis;
  return new ProjectBacklog(redis, { limits: { ...unlimited, maxPendingBytes } });
}

const loads = (bytes: Record<string, number>) =>
  new Map(Object.entries(bytes).map(([project, of]) => [project, { facts: 1, bytes: of }]));

/** A limiter whose Redis has these pending bytes per project. */
const backlog = (bytes: Record<string, number>, max?: number) =>
  limiterWith(
    (_, ...projects) =>
      Promise.resolve(projects.map((of) => (of in bytes ? String(bytes[of]) : null))),
    max,
  );

describe('the limit of pending bytes of a project', () => {
  it('includes the bytes of the request itself', async () => {
    const limiter = backlog({ 'a/b': 900 });

    await limiter.admit(loads({ 'a/b': 100 }));
    await expect(backlog({ 'a/b': 900 }).admit(loads({ 'a/b': 101 }))).rejects.toMatchObject({
      code: 'queue_full',
      message: 'a/b has 900 bytes pending, and its limit is 1000; retry when they are stored.',
    });
    await limiter.admit(loads({ 'a/other': 1000 }));
  });

  it('uses the current number of bytes after each refusal', async () => {
    const bytes = { 'a/b': 1000 };
    const limiter = backlog(bytes);

    for (let i = 0; i < 3; i++) {
      await expect(limiter.admit(loads({ 'a/b': 1 }))).rejects.toMatchObject({
        code: 'queue_full',
      });
    }
    bytes['a/b'] = 0;
    await limiter.admit(loads({ 'a/b': 1000 }));
  });

  it('counts admitted bytes until Redis has them', async () => {
    const limiter = backlog({});

    const [release] = await Promise.all([
      limiter.admit(loads({ 'a/b': 600 })),
      limiter.admit(loads({ 'a/b': 400 })),
    ]);
    await expect(limiter.admit(loads({ 'a/b': 1 }))).rejects.toMatchObject({ code: 'queue_full' });
    release();
    await limiter.admit(loads({ 'a/b': 600 }));
  });

  it('admits all projects of a request or none', async () => {
    const limiter = backlog({ 'a/full': 1000 });

    await expect(limiter.admit(loads({ 'a/b': 600, 'a/full': 1 }))).rejects.toMatchObject({
      message: 'a/full has 1000 bytes pending, and its limit is 1000; retry when they are stored.',
    });
    const release = await limiter.admit(loads({ 'a/b': 600, 'a/c': 600 }));
    await expect(limiter.admit(loads({ 'a/c': 600 }))).rejects.toMatchObject({
      code: 'queue_full',
    });
    release();
    await limiter.admit(loads({ 'a/b': 1000, 'a/c': 1000 }));
  });

  it('admits one larger request when nothing else is pending', async () => {
    const limiter = backlog({ 'a/busy': 1 });

    await limiter.admit(loads({ 'a/idle': 5000 }));
    await expect(limiter.admit(loads({ 'a/busy': 5000 }))).rejects.toMatchObject({
      code: 'queue_full',
    });
  });

  it('does not read from Redis when no limit is set', async () => {
    const failing = () => Promise.reject(new Error('unavailable'));

    await limiterWith(failing, 0).admit(loads({ 'a/b': 2 ** 40 }));
    await expect(limiterWith(failing, 1).admit(loads({ 'a/b': 1 }))).rejects.toMatchObject({
      code: 'queue_unavailable',
    });
  });
});
