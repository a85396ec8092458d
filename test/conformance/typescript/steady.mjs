// Makes calls for some seconds, also during an outage, and prints how many: `steady.mjs <project> <seconds>`.
import { setTimeout as pause } from 'node:timers/promises';
import * as weave from 'weave';

const client = await weave.init(process.argv[2]);
const tick = weave.op(async function tick(n) {
  return n;
});

const deadline = Date.now() + Number(process.argv[3]) * 1000;
let made = 0;
while (Date.now() < deadline) {
  await tick(made++);
  await pause(20);
}
await client.waitForBatchProcessing();
console.log('MADE', made);
