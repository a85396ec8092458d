// Writes calls to a project while the other SDK does, then reads them all: `together.mjs <project> <own> <all>`.
import { setTimeout as pause } from 'node:timers/promises';
import * as weave from 'weave';

const [project, own, all] = process.argv.slice(2);
const client = await weave.init(project);
const shared = weave.op(async function shared(sdk, n) {
  return `${sdk} ${n}`;
});

for (let n = 0; n < Number(own); n++) {
  await shared('typescript', n);
  if (n % 50 === 0) await client.publish({ sdk: 'typescript', n }, 'shared');
}
await client.waitForBatchProcessing();

const deadline = Date.now() + 60_000;
let outputs = [];
while (outputs.length < Number(all) && Date.now() < deadline) {
  await pause(200);
  outputs = (await client.getCalls({}, false, 100_000)).map(({ output }) => output);
}
const mine = outputs.filter((output) => output.startsWith('typescript ')).length;
console.log('READ', outputs.length, new Set(outputs).size, mine);
