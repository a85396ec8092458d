import { millis } from '@app/wire';
import { ProjectLanes } from './fact-publisher.js';

const MiB = 1024 * 1024;
const NOW = millis(1_772_359_200_000);

describe('the lane of a project', () => {
  it('is fast until more than 4 MB are pending, and again when they are stored', () => {
    const lanes = new ProjectLanes();
    const laneAt = (pendingBytes: number) => {
      lanes.update('a/busy', pendingBytes, NOW);
      return lanes.laneOf('a/busy', 0, NOW);
    };

    expect([4 * MiB, 4 * MiB + 1, 9 * MiB, 4 * MiB].map(laneAt)).toEqual([
      'fast',
      'bulk',
      'bulk',
      'fast',
    ]);
  });

  it('depends also on the bytes of the write itself', () => {
    const lanes = new ProjectLanes();
    expect(lanes.laneOf('a/busy', 4 * MiB, NOW)).toBe('fast');
    expect(lanes.laneOf('a/busy', 4 * MiB + 1, NOW)).toBe('bulk');

    lanes.update('a/busy', 3 * MiB, NOW);
    expect(lanes.laneOf('a/busy', 2 * MiB, NOW)).toBe('bulk');
  });

  it('is fast for an unknown project, whatever the others have pending', () => {
    const lanes = new ProjectLanes();
    lanes.update('a/busy', 9 * MiB, NOW);

    expect(lanes.laneOf('a/other', 0, NOW)).toBe('fast');
  });

  it('is fast again after two seconds without a write', () => {
    const lanes = new ProjectLanes();
    lanes.update('a/busy', 9 * MiB, NOW);

    expect(lanes.laneOf('a/busy', 0, millis(NOW + 2000))).toBe('bulk');
    expect(lanes.laneOf('a/busy', 0, millis(NOW + 2001))).toBe('fast');
  });
});
