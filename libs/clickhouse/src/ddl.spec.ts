import { unfinishedNodes } from './ddl.js';

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
