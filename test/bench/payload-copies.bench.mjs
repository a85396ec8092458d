// `npm run setup && node test/bench/payload-copies.bench.mjs [calls]` compares payloads in two copies, in the log and in `calls`,
// with payloads in the log alone: what inserts and reads cost ClickHouse, and the disk. Record 30 has the result.
import { setTimeout as sleep } from 'node:timers/promises';
import { callBodies } from '../support/load-calls.mjs';
import { startLoadServer } from '../support/load-server.mjs';
import { MachineLoad } from '../support/machine-load.mjs';
import { waitForMerges } from '../support/merges.mjs';
import { positiveNumbers } from '../support/positive-numbers.mjs';
import { cpuMicros } from '../support/proc-cpu.mjs';

const [CALLS] = positiveNumbers(
  process.argv.slice(2),
  [20_000],
  'node test/bench/payload-copies.bench.mjs [calls]',
);
const PER_REQUEST = 100;
const PER_INSERT = 1600;
const PER_PAGE = 1000;
const ROUNDS = 10;
const STORED_WITHIN_MS = 120_000;
const MERGED_WITHIN_MS = 60_000;
const PROJECT = 'bench/payloads';
const PAYLOADS = ['inputs', 'output', 'attributes', 'summary', 'otel_dump'];
const ofProject = `project_id = '${PROJECT}'`;

const onMachine = new MachineLoad();
const server = await startLoadServer({ name: 'payload-copies' });
const micros = () => cpuMicros(server.clickhouse.pid);
try {
  await storeCalls();
  await server.sql(`CREATE TABLE source ENGINE = Memory AS SELECT *, rowNumberInAllBlocks() AS n FROM
    (SELECT * FROM calls FINAL WHERE ${ofProject} ORDER BY started_at)`);
  for (const name of ['wide', 'narrow']) await server.sql(`CREATE TABLE ${name} AS calls`);
  for (const column of PAYLOADS) await server.sql(`ALTER TABLE narrow DROP COLUMN ${column}`);
  const inserts = { wide: await inserted('wide'), narrow: await inserted('narrow') };
  console.table([
    {
      what: 'insert and merge, µs of CPU per call',
      'two copies': inserts.wide,
      'one copy': inserts.narrow,
    },
    {
      what: 'disk, bytes per call',
      'two copies': await disk('wide'),
      'one copy': await disk('narrow'),
    },
    {
      what: 'disk of the log, bytes per call',
      'two copies': await disk('call_events'),
      'one copy': await disk('call_events'),
    },
  ]);
  console.table(await reads());
  console.log(onMachine.report());
} finally {
  await server.stop();
}
process.exit(0);

async function storeCalls() {
  const run = Date.now() % 2 ** 24;
  for (let first = 0; first < CALLS; first += PER_REQUEST) {
    const { start, end } = callBodies({
      project: PROJECT,
      run,
      perRequest: PER_REQUEST,
      connection: first,
    });
    const now = Date.now();
    await server.sendBatch(start.patch(first, now, now));
    await server.sendBatch(end.patch(first, now, now + 800));
  }
  for (let waits = 0; (await server.pendingFacts()) > 0; waits++) {
    if (waits > STORED_WITHIN_MS / 200) throw new Error('Workers have not stored the calls.');
    await sleep(200);
  }
  await waitForMerges(server, MERGED_WITHIN_MS);
}

/** CPU per call of the inserts and the merges that follow, without that of reading the source. */
async function inserted(table) {
  const columns = table === 'wide' ? '* EXCEPT n' : `* EXCEPT (n, ${PAYLOADS.join(', ')})`;
  const batches = Array.from(
    { length: Math.ceil(CALLS / PER_INSERT) },
    (_, i) =>
      `SELECT ${columns} FROM source WHERE n >= ${i * PER_INSERT} AND n < ${(i + 1) * PER_INSERT}`,
  );
  const beforeReads = micros();
  for (const batch of batches) await server.sql(`${batch} FORMAT Null`);
  const reading = micros() - beforeReads;
  const before = micros();
  for (const batch of batches) await server.sql(`INSERT INTO ${table} ${batch}`);
  await waitForMerges(server, MERGED_WITHIN_MS);
  return Math.round((micros() - before - reading) / CALLS);
}

async function disk(table) {
  await server.sql(`OPTIMIZE TABLE ${table} FINAL`);
  const [[bytes]] = await server.sql(
    `SELECT sum(bytes_on_disk) FROM system.parts WHERE active AND table = '${table}'`,
  );
  return Math.round(Number(bytes) / CALLS);
}

async function reads() {
  const newest = (from, limit, offset = 0) =>
    `SELECT id FROM ${from} FINAL WHERE ${ofProject} ORDER BY started_at DESC, id DESC LIMIT ${limit} OFFSET ${offset}`;
  const payloads = (keys) =>
    `SELECT ${PAYLOADS.join(', ')} FROM wide FINAL PREWHERE ${ofProject} AND (started_at, id) IN (${keys})`;
  const items = (ids) =>
    `SELECT call_id, kind, item FROM call_events FINAL WHERE ${ofProject} AND call_id IN (${ids})`;
  const keys = (limit, offset) =>
    newest('wide', limit, offset).replace('id FROM', 'started_at, id FROM');
  const pages = Array.from({ length: Math.ceil(CALLS / PER_PAGE) }, (_, i) => i * PER_PAGE);
  const text = `'no such text in any call'`;
  const cases = {
    'newest 50 with payloads': [[payloads(keys(50, 0))], [items(newest('narrow', 50))]],
    'one call': [[payloads(keys(1, CALLS >> 1))], [items(newest('narrow', 1, CALLS >> 1))]],
    [`all ${CALLS} with payloads, by pages of ${PER_PAGE}`]: [
      pages.map((offset) => payloads(keys(PER_PAGE, offset))),
      pages.map((offset) => items(newest('narrow', PER_PAGE, offset))),
    ],
    'count of a text in inputs': [
      [
        `SELECT count() FROM wide FINAL WHERE ${ofProject} AND positionCaseInsensitiveUTF8(inputs, ${text}) > 0`,
      ],
      [
        `SELECT uniqExact(call_id) FROM call_events WHERE ${ofProject} AND kind IN ('start', 'complete') AND positionCaseInsensitiveUTF8(item, ${text}) > 0`,
      ],
    ],
  };
  const rows = [];
  for (const [read, [two, one]] of Object.entries(cases)) {
    const [twoCopies, oneCopy] = [await measured(two), await measured(one)];
    rows.push({
      read,
      'two copies, ms': twoCopies.ms,
      'one copy, ms': oneCopy.ms,
      'two copies, CPU ms': twoCopies.cpu,
      'one copy, CPU ms': oneCopy.cpu,
    });
  }
  return rows;
}

/** Mean of the rounds after the first. */
async function measured(statements) {
  const execute = async () => {
    for (const statement of statements) await server.sql(`${statement} FORMAT Null`);
  };
  await execute();
  const [before, began] = [micros(), performance.now()];
  for (let i = 0; i < ROUNDS; i++) await execute();
  const per = (amount) => Number((amount / ROUNDS).toFixed(1));
  return { ms: per(performance.now() - began), cpu: per((micros() - before) / 1000) };
}
