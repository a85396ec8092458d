import { millis } from '@app/wire';
import { ProjectLanes } from './project-lanes.js';

const MiB = 1024 * 1024;
const NOW = millis(1_772_359_200_000);

describe('the lane of a project', () => {
  it('is fast until more than 4 MB of it are pending, and again when they are stored', () => {
    const some = new ProjectLanes();
    const laneAt = (pendingBytes: number) => {
      some.learn('a/flood', pendingBytes, NOW);
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
    const some = new ProjectLanes();
    expect(some.laneOf('a/flood', 4 * MiB, NOW)).toBe('fast');
    expect(some.laneOf('a/flood', 4 * MiB + 1, NOW)).toBe('bulk');

    some.learn('a/flood', 3 * MiB, NOW);
    expect(some.laneOf('a/flood', 2 * MiB, NOW)).toBe('bulk');
  });

  it('is its own, and fast for whoever is not known', () => {
    const some = new ProjectLanes();
    some.learn('a/flood', 9 * MiB, NOW);

    expect(some.laneOf('a/other', 0, NOW)).toBe('fast');
  });

  it('is fast again when nothing was heard for two seconds', () => {
    const some = new ProjectLanes();
    some.learn('a/flood', 9 * MiB, NOW);

    expect(some.laneOf('a/flood', 0, millis(NOW + 2000))).toBe('bulk');
    expect(some.laneOf('a/flood', 0, millis(NOW + 2001))).toBe('fast');
  });
});
