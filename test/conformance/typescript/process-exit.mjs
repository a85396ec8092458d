// A process that exits with an open call.
import { deepEqual, equal } from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { run, scenario } from './scenario.mjs';

const script = fileURLToPath(new URL('./exit-with-open-call.mjs', import.meta.url));

scenario(
  'loses nothing of a process that exits without waiting and with an open call',
  async (client) => {
    const { status } = spawnSync(process.execPath, [script, client.projectId]);

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
