import { readFileSync } from 'node:fs';
import { useReturnableBufferPools } from './buffer-pool.js';

const NODE_SCRIPT = new URL('../../../scripts/node.sh', import.meta.url);

describe('the pools of small buffers', () => {
  it('are so large that glibc gives each pages of its own', () => {
    const [, threshold] = /MALLOC_MMAP_THRESHOLD_:-(\d+)/.exec(readFileSync(NODE_SCRIPT, 'utf8'))!;
    const before = Buffer.poolSize;
    useReturnableBufferPools();
    const pool = Buffer.poolSize;
    Buffer.poolSize = before;

    expect(pool).toBeGreaterThanOrEqual(Number(threshold));
  });
});
