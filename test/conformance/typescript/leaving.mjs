// A process that ends in the middle of it.
import { deepEqual, equal } from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { run, scenario } from './scenario.mjs';

const leaver = fileURLToPath(new URL('./leaver.mjs', import.meta.url));

scenario(
  'loses nothing of a process that ends without waiting, with a call still open',
  async (client) => {
    const { status } = spawnSync(process.execPath, [leaver, client.projectId]);

    equal(status, 0);
    const calls = await client.getCalls();
    const ended = calls.filter(({ ended_at }) => ended_at);
    deepEqual(
      ended.map(({ output }) => output).sort((a, b) => a - b),
      Array.from({ length: 100 }, (_, n) => n),
    );
    deepEqual(
      calls.filter(({ ended_at }) => !ended_at).map(({ summary }) => summary.weave.status),
      ['running'],
    );
  },
);

await run();
