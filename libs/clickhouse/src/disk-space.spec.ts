import { fullDisks } from './disk-space.js';

describe('a statement that writes definitions', () => {
  it('is executed when every disk has space, and otherwise names those that have none', () => {
    expect(fullDisks([])).toBeUndefined();
    const disks = [
      { node: 'ch-1', free: '0' },
      { node: 'ch-2', free: 3_400_000 },
    ];
    expect(fullDisks(disks)).toBe(
      'The disk of ClickHouse is full (ch-1 has 0 MB, ch-2 has 3 MB free), and changing a table needs 16 MB. ' +
        'Free space as docs/operations/disk-full.md describes, then repeat the command.',
    );
  });
});
