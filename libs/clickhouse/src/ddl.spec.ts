import { fullDisks, unfinishedNodes } from './ddl.js';

const node = (host: string, status: number | string | null, error = '') => ({
  host,
  port: 9000,
  status,
  error,
});

describe('a statement on every node of a cluster', () => {
  it('has succeeded when every node has executed it', () => {
    expect(unfinishedNodes([node('ch-1', 0), node('ch-2', '0')])).toBeUndefined();
  });

  it('names each node that failed or has not finished', () => {
    const results = [node('ch-1', 0), node('ch-2', null), node('ch-3', 57, 'Table exists')];

    expect(unfinishedNodes(results)).toBe(
      '2 of 3 nodes have not executed a statement (ch-2:9000 has not finished it; ch-3:9000 failed: Table exists). ' +
        'ClickHouse repeats it on a node that was unavailable; system.distributed_ddl_queue shows its state.',
    );
  });
});

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
