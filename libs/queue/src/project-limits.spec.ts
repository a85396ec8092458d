import { ProjectLimits } from './project-limits.js';

const MiB = 1024 * 1024;
const NOW = 1_772_359_200_000;
const UNLIMITED = { maxPendingBytes: 0, maxFactsPerSecond: 0 };

const limits = (fields: Partial<typeof UNLIMITED> = {}) =>
  new ProjectLimits({ ...UNLIMITED, ...fields });

describe('the lane of a project', () => {
  it('is fast until more than 4 MB of it are pending, and again when they are stored', () => {
    const some = limits();
    const laneAt = (pendingBytes: number) => {
      some.learn('a/flood', pendingBytes, 1, NOW);
      return some.laneOf('a/flood', 0, NOW);
    };

    expect([4 * MiB, 4 * MiB + 1, 9 * MiB, 4 * MiB].map(laneAt)).toEqual([
      'fast',
      'bulk',
      'bulk',
      'fast',
    ]);
  });

  it('counts what is about to come, known or not', () => {
    const some = limits();
    expect(some.laneOf('a/flood', 4 * MiB, NOW)).toBe('fast');
    expect(some.laneOf('a/flood', 4 * MiB + 1, NOW)).toBe('bulk');

    some.learn('a/flood', 3 * MiB, 1, NOW);
    expect(some.laneOf('a/flood', 2 * MiB, NOW)).toBe('bulk');
  });

  it('is its own, and fast for whoever is not known', () => {
    const some = limits();
    some.learn('a/flood', 9 * MiB, 1, NOW);

    expect(some.laneOf('a/other', 0, NOW)).toBe('fast');
  });

  it('is fast again when nothing was heard for two seconds', () => {
    const some = limits();
    some.learn('a/flood', 9 * MiB, 1, NOW);

    expect(some.laneOf('a/flood', 0, NOW + 2000)).toBe('bulk');
    expect(some.laneOf('a/flood', 0, NOW + 2001)).toBe('fast');
  });
});

describe('the limits of a project', () => {
  const refusal = (some: ProjectLimits, projects: string[], now = NOW) => {
    try {
      some.refuseExcess(projects, now);
      return undefined;
    } catch (error) {
      return error as Error;
    }
  };

  it('refuse whoever has too many bytes waiting, until they are old news', () => {
    const some = limits({ maxPendingBytes: 1000 });
    some.learn('a/b', 1001, 1, NOW);

    expect(refusal(some, ['a/other', 'a/b'])).toMatchObject({
      name: 'QueueFull',
      message: expect.stringContaining('a/b has 1001 bytes waiting') as string,
    });
    expect(refusal(some, ['a/b'], NOW + 2001)).toBeUndefined();
    some.learn('a/b', 1000, 1, NOW);
    expect(refusal(some, ['a/b'])).toBeUndefined();
  });

  it('refuse whoever has sent enough facts in this second, and take more in the next', () => {
    const some = limits({ maxFactsPerSecond: 10 });
    some.learn('a/b', 1, 9, NOW);
    expect(refusal(some, ['a/b'], NOW + 999)).toBeUndefined();

    some.learn('a/b', 1, 10, NOW);
    expect(refusal(some, ['a/b'], NOW + 999)).toMatchObject({ name: 'QueueFull' });
    expect(refusal(some, ['a/b'], NOW + 1000)).toBeUndefined();
  });

  it('are none unless somebody sets them', () => {
    const some = limits();
    some.learn('a/b', 2 ** 40, 2 ** 40, NOW);

    expect(refusal(some, ['a/b'])).toBeUndefined();
  });
});
