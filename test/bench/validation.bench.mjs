// Measures what validating one start of a call costs (docs/adr/0009): `npm run setup && node
// test/bench/validation.bench.mjs`. Prints the median of seven rounds in µs per start of about 3 KB. Needs no server.
import 'reflect-metadata';
import { validateSync } from 'class-validator';
import { CallStartRecord, compileCheck } from '../../dist/libs/contracts/src/index.js';
import { readCallItem } from '../../dist/libs/events/src/index.js';
import { jsonShape } from '../../dist/libs/wire/src/index.js';
import { callBodies } from '../support/load-calls.mjs';
import { MachineLoad } from '../support/machine-load.mjs';

const ROUNDS = 7;
const STARTS = 100;
const ROUND_MS = 300;
const MAX_DEPTH = 512;

const { start } = callBodies({
  project: 'bench/validation',
  run: 1,
  perRequest: STARTS,
  connection: 0,
});
const now = Date.now();
const { batch } = JSON.parse(start.patch(0, now, now).toString('utf8'));
const texts = batch.map(({ req }) => Buffer.from(JSON.stringify(req.start)));
const items = texts.map(readCallItem);
const isValid = compileCheck(CallStartRecord);

const ways = {
  'JSON.parse of the text': () => texts.forEach((text) => JSON.parse(text.toString('utf8'))),
  'scan that the text is JSON': () => texts.forEach((text) => jsonShape(text, MAX_DEPTH)),
  'read the envelope, payloads as text': () => texts.forEach((text) => readCallItem(text)),
  'compiled check': () => items.forEach((item) => isValid(item) || refuse()),
  'class-validator': () =>
    items.forEach((item) => {
      const errors = validateSync(Object.assign(new CallStartRecord(), item));
      if (errors.length > 0) refuse();
    }),
};

const onMachine = new MachineLoad();
const rounds = Array.from({ length: ROUNDS }, () =>
  Object.fromEntries(Object.entries(ways).map(([name, run]) => [name, microsPerStart(run)])),
);
console.table(
  Object.fromEntries(
    Object.keys(ways).map((name) => [name, { µs: median(rounds.map((round) => round[name])) }]),
  ),
);
console.log(onMachine.report());

function microsPerStart(run) {
  const begun = process.hrtime.bigint();
  const elapsed = () => Number(process.hrtime.bigint() - begun) / 1000;
  let starts = 0;
  for (; elapsed() < ROUND_MS * 1000; starts += STARTS) run();
  return elapsed() / starts;
}

function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  return Number(sorted[Math.floor(sorted.length / 2)].toFixed(2));
}

function refuse() {
  throw new Error('A start of the bench is refused: its fields no longer match the contract.');
}
