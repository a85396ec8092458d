// Makes what the TypeScript SDK has a link for, and prints the links as a program of a user would see them.
import * as weave from 'weave';

const client = await weave.init(process.argv[2]);
const reply = weave.op(async function reply(word) {
  return `${word}!`;
});
await reply('a');
const dataset = new weave.Dataset({ name: 'words', rows: [{ word: 'a' }] });
const ref = await dataset.save();
console.log('object', await ref.ui_url());
const op = await client.saveOp(reply);
console.log('op', await op.ui_url());
await client.waitForBatchProcessing();
