#!/usr/bin/env node
// Breaks a server of its own in every way it must survive, under load, and then asks for everything back that was
// acknowledged: `npm run chaos`, or with `--short` in about a minute and a half. docs/operations/chaos.md explains the table.
import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Acknowledged } from '../support/acknowledged.mjs';
import { randomFrom } from '../support/load-calls.mjs';
import { startLoadServer } from '../support/load-server.mjs';
import { compareAll, compareOverHttp, deadLetters, drained, ledger } from './check.mjs';
import { Faults } from './faults.mjs';
import { Writer } from './writer.mjs';

const { values: flags } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    facts: { type: 'string' },
    kills: { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    'freeze-seconds': { type: 'string' },
    'away-seconds': { type: 'string' },
    json: { type: 'string' },
    keep: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (flags.help) {
  console.log(`npm run chaos -- [--short] [--facts n] [--kills n] [--seed n] [--freeze-seconds n] [--away-seconds n] [--json file] [--keep]
  --short           20,000 facts and about ten faults, for CI
  --facts           to write at least (1,000,000)
  --kills           at least (50)
  --seed            of everything random, to repeat a run
  --freeze-seconds  of SIGSTOP; longer than the lock of a job, 10 s (65; 35 with --short)
  --away-seconds    without ClickHouse (60; 8 with --short)
  --json            file for the outcome
  --keep            the temporary directory with all logs, also when all is well`);
  process.exit(0);
}
const short = flags.short;
const goal = {
  facts: Number(flags.facts ?? (short ? 20_000 : 1_000_000)),
  kills: Number(flags.kills ?? (short ? 8 : 50)),
  freezeMs: Number(flags['freeze-seconds'] ?? (short ? 35 : 65)) * 1000,
  awayMs: Number(flags['away-seconds'] ?? (short ? 8 : 60)) * 1000,
  fullMs: short ? 4000 : 15_000,
  factsPerSecond: short ? 400 : 1500,
  drainMs: short ? 120_000 : 900_000,
  sample: short ? 800 : 10_000,
};
const FINDINGS = ['lost', 'lostEnds', 'double', 'unknown', 'different'];
const isClean = (found) => FINDINGS.every((name) => found[name].length === 0);

const begun = Date.now();
const say = (line) =>
  process.stderr.write(`${((Date.now() - begun) / 1000).toFixed(1).padStart(7)} s  ${line}\n`);

const random = randomFrom(Number(flags.seed));
const server = await startLoadServer({ name: 'chaos', ingests: 2, workers: 2 });
say(`seed ${flags.seed}, server in ${server.directory}`);
const record = new Acknowledged();
const { ports, key } = { ports: server.ingests.map(({ port }) => port), key: server.key };
const writer = new Writer({ ports, key, record, random, factsPerSecond: goal.factsPerSecond });
const faults = new Faults({ server, writer, random, say });

let outcome;
try {
  writer.begin();
  await (short ? shortForm() : longForm());
  await enoughFacts();
  await writer.stop();
  say(`${record.facts} facts acknowledged; waiting until they are visible`);
  outcome = await verdict();
} finally {
  await server.stop({ keepFiles: flags.keep || !outcome?.isWell });
}
print(outcome);
if (flags.json) writeFileSync(flags.json, `${JSON.stringify(outcome, null, 2)}\n`);
process.exit(outcome.isWell ? 0 : 1);

/**
 * Every kind of fault once; a worker stands still meanwhile. Workers are killed first: the jobs of a dead worker wait
 * for their lock to run out, and that time is better spent on other faults.
 */
async function shortForm() {
  const [ingest1, ingest2] = server.ingests;
  const [worker1, worker2] = server.workers;
  await pause(1000, 2000);
  const frozen = faults.freeze(worker2, goal.freezeMs);
  for (const fault of [
    () => faults.killAfterInsert('call_events'),
    () => faults.killAll(),
    () => faults.killAfterInsert('calls'),
    () => faults.kill(worker1),
    () => faults.kill(ingest1),
    () => faults.kill(server.redis),
    () => faults.kill(server.clickhouse),
    () => faults.storeAway(goal.awayMs),
    () => faults.queueFull(goal.fullMs),
    () => faults.kill(ingest2, server.redis),
  ]) {
    await fault();
    await pause(300, 1000);
  }
  await frozen;
}

async function longForm() {
  const inTurn = [...server.ingests, ...server.workers, server.redis, server.clickhouse];
  const list = [
    ...inTurn.map((member) => () => faults.kill(member)),
    ...times(6, () => faults.killAfterInsert('calls')),
    ...times(4, () => faults.killAfterInsert('call_events')),
    ...times(2, () => faults.killAll()),
    ...times(3, () => faults.queueFull(goal.fullMs)),
    () => faults.storeAway(goal.awayMs),
    ...times(12, () => faults.killAny()),
  ];
  const freezing = freezeBoth();
  for (const fault of shuffled(list)) {
    await fault();
    await pause(1000, 8000);
  }
  await freezing;
  while (faults.kills < goal.kills) {
    await faults.killAny();
    await pause(1000, 8000);
  }
}

/** One worker after the other, beside all other faults. */
async function freezeBoth() {
  for (const worker of server.workers) {
    await pause(5000, 20_000);
    await faults.freeze(worker, goal.freezeMs);
  }
}

/** A kill that was to come right after an insert is worth nothing when none came. */
function missedInserts() {
  const meant = faults.history.filter(({ fault }) => /insert/.test(fault));
  return meant.filter(({ note }) => note === 'no insert came').length > meant.length / 2;
}

async function enoughFacts() {
  if (record.facts < goal.facts) say(`${record.facts} facts so far; the rest at full rate`);
  writer.factsPerSecond = Infinity;
  while (record.facts < goal.facts) await sleep(100);
}

async function verdict() {
  const stoppedAt = Date.now();
  const isDrained = await drained(server, goal.drainMs);
  const drainMs = Date.now() - stoppedAt;
  say(`${isDrained ? 'drained' : 'NOT drained'} after ${drainMs} ms`);
  const found = await compareAll(server, record);
  const later = isClean(found) ? undefined : await compareLater();
  say(
    `${found.stored} stored calls compared${isClean(found) ? '' : ': NOT as acknowledged'}; asking over HTTP`,
  );
  const http = await compareOverHttp(server, record, { sample: goal.sample, random });
  const letters = await deadLetters(server);
  const books = await ledger(server);
  const complaints = [
    !isDrained && 'facts are still pending',
    !isClean(found) && 'what is stored is not what was acknowledged',
    http.counted !== http.requested &&
      `${http.requested} calls requested for by id, ${http.counted} counted`,
    http.different.length > 0 && `${http.different.length} calls read back differently`,
    letters > 0 && `${letters} dead letters`,
    writer.strange.length > 0 &&
      `${writer.strange.length} responses were neither yes nor a refusal`,
    books.state === 'broken' && 'the ledger does not balance',
    missedInserts() && 'most kills after an insert saw no insert',
    record.facts < goal.facts && 'too few facts',
    faults.kills < goal.kills && 'too few kills',
    ...faults.history
      .filter(({ note }) => /^no yes|429/.test(note))
      .map(({ fault, note }) => `${fault}: ${note}`),
  ].filter(Boolean);
  return {
    isWell: complaints.length === 0,
    complaints,
    seed: flags.seed,
    seconds: (Date.now() - begun) / 1000,
    facts: record.facts,
    calls: record.calls,
    kills: faults.kills,
    failedStarts: faults.failedStarts,
    writes: writer.counts,
    strange: writer.strange.slice(0, 10),
    drainMs,
    stored: found.stored,
    found: shown(found),
    later: later && shown(later),
    http: { ...http, different: http.different.slice(0, 20) },
    deadLetters: letters,
    ledger: books,
    faults: faults.history,
  };
}

/** Tells late from lost; late is a fault too, because the server had said that nothing was pending. */
async function compareLater() {
  say('not all is there; looking again in 30 s');
  await sleep(30_000);
  return compareAll(server, record);
}

function shown(found) {
  return Object.fromEntries(
    FINDINGS.map((name) => [name, { count: found[name].length, first: found[name].slice(0, 20) }]),
  );
}

function print(result) {
  const ms = (value) => (value === Infinity ? 'never' : Math.round(value).toLocaleString('en'));
  table([
    ['fault', 'kills', 'away ms', 'next yes ms', '429', '503', 'broken', ''],
    ...result.faults.map((one) => [
      one.fault,
      String(one.kills),
      ms(one.awayMs),
      ms(one.yesAfterMs),
      String(one.refused429),
      String(one.refused503),
      String(one.broken),
      one.note,
    ]),
  ]);
  const count = (value) => value.toLocaleString('en');
  const { found, later, http, writes } = result;
  const finding = (name) =>
    `${found[name].count}${later ? ` (${later[name].count} after 30 s more)` : ''}`;
  table([
    ['', ''],
    ['facts acknowledged', count(result.facts)],
    ['calls, stored', `${count(result.calls)}, ${count(result.stored)}`],
    ['processes killed', `${result.kills} (${result.failedStarts} starts had to be repeated)`],
    [
      'requests: yes, 429, 503, broken, given up',
      [writes.acknowledged, writes.refused429, writes.refused503, writes.broken, writes.givenUp]
        .map(count)
        .join(', '),
    ],
    ['drained after', `${ms(result.drainMs)} ms`],
    ['acknowledged calls lost', finding('lost')],
    ['acknowledged ends lost', finding('lostEnds')],
    ['visible twice', finding('double')],
    ['other contents than sent', finding('different')],
    ['visible and never sent', finding('unknown')],
    ['counted by id over HTTP', `${count(http.counted)} of ${count(http.requested)}`],
    ['read over HTTP, different', `${count(http.read)}, ${http.different.length}`],
    ['dead letters', String(result.deadLetters)],
    ['ledger', result.ledger.state],
    ['time, seed', `${Math.round(result.seconds)} s, ${result.seed}`],
  ]);
  for (const text of result.strange) console.log(`strange response: ${text}`);
  if (result.ledger.state === 'broken') console.log(result.ledger.text);
  if (!result.isWell) console.log(`\nlogs and data are kept in ${server.directory}`);
  console.log(result.isWell ? '\nall is well' : `\nFAILED: ${result.complaints.join('; ')}`);
}

function table(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  for (const row of rows) {
    const cells = row.map((cell, i) =>
      i === 0 || i === 7 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]),
    );
    console.log(cells.join('  ').trimEnd());
  }
}

function pause(least, most) {
  return sleep(least + random() * (most - least));
}

function times(count, act) {
  return Array.from({ length: count }, () => act);
}

function shuffled(list) {
  return list
    .map((item) => ({ item, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}
