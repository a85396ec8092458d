// Writes calls and an object with a key that may only add: `only-writes.mjs <project>`.
import * as weave from 'weave';

const client = await weave.init(process.argv[2]);
const inner = weave.op(async function inner(n) {
  return n + 1;
});
const outer = weave.op(async function outer(n) {
  return inner(n);
});

for (let n = 0; n < 20; n++) await outer(n);
await client.publish({ by: 'typescript' }, 'settings');
await client.waitForBatchProcessing();
console.log('WRITTEN');
