// Many calls at once.
import { deepEqual, equal } from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import * as weave from 'weave';
import { run, scenario } from './scenario.mjs';

const COUNT = 20_000;

scenario('stores twenty thousand calls of one process exactly once each', async (client) => {
  const work = weave.op(async function work(n) {
    return { n, text: 'some words to carry along '.repeat(4) };
  });

  for (let n = 0; n < COUNT; n++) await work(n);
  await client.waitForBatchProcessing();
  const calls = await allOf(client);
  equal(calls.length, COUNT);
  deepEqual(
    calls.map(({ output }) => output.n).sort((a, b) => a - b),
    Array.from({ length: COUNT }, (_, n) => n),
  );
});

/** A read waits a second for the caller's writes, and a burst takes longer to be stored. */
async function allOf(client) {
  const deadline = Date.now() + 60_000;
  for (;;) {
    const calls = await client.getCalls({}, false, 2 * COUNT);
    if (calls.length >= COUNT || Date.now() > deadline) return calls;
    await pause(500);
  }
}

await run();
