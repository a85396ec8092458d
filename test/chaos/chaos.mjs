#!/usr/bin/env node
// Starts a server, writes to it, kills and freezes its processes, and then reads back everything that was acknowledged:
// `npm run chaos`, or with `--short` in about two minutes. docs/operations/chaos.md explains the result.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Acknowledged } from '../support/acknowledged.mjs';
import { randomFrom } from '../support/load-calls.mjs';
import { startLoadServer } from '../support/load-server.mjs';
import {
  compareAll,
  compareOverHttp,
  countDeadLetters,
  drained,
  ledger,
  rebuildsFinished,
} from './check.mjs';
import { clickHouseDisk, diskFull } from './disk-faults.mjs';
import { Faults } from './faults.mjs';
import { JUNK, Misbehaving } from './misbehaving.mjs';
import { Operators } from './operators.mjs';
import { queueFull, readOnly, scriptsLost } from './redis-faults.mjs';
import { print } from './report.mjs';
import { responsesLost, serverErrors, valueErrors } from './store-faults.mjs';
import { Victims } from './victims.mjs';
import { projects, Writer } from './writer.mjs';

const { values: flags } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    facts: { type: 'string' },
    kills: { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    'freeze-seconds': { type: 'string' },
    'outage-seconds': { type: 'string' },
    'no-disk-full': { type: 'boolean', default: false },
    json: { type: 'string' },
    keep: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (flags.help) {
  console.log(`npm run chaos -- [--short] [--facts n] [--kills n] [--seed n] [--freeze-seconds n] [--outage-seconds n] [--no-disk-full] [--json file] [--keep]
  --short           20,000 facts and about fifteen faults, for CI
  --facts           facts to write at least (1,000,000)
  --kills           processes to kill at least (50)
  --seed            seed of all random choices, to repeat a run
  --freeze-seconds  duration of a SIGSTOP; longer than the lock of a job, 10 s (65; 35 with --short)
  --outage-seconds  duration of the ClickHouse outage (60; 8 with --short)
  --no-disk-full    leave out the full disk, which needs root and memory for a disk (10 GiB; 1.5 GiB with --short)
  --json            write the result to this file
  --keep            keep the temporary directory with all logs even when every check passes`);
  process.exit(0);
}
const short = flags.short;
const goal = {
  facts: Number(flags.facts ?? (short ? 20_000 : 1_000_000)),
  kills: Number(flags.kills ?? (short ? 8 : 50)),
  freezeMs: Number(flags['freeze-seconds'] ?? (short ? 35 : 65)) * 1000,
  outageMs: Number(flags['outage-seconds'] ?? (short ? 8 : 60)) * 1000,
  fullMs: short ? 4000 : 15_000,
  diskBytes: (short ? 1.5 : 10) * 1024 ** 3,
  diskFullMs: short ? 6000 : 20_000,
  readOnlyMs: short ? 3000 : 15_000,
  errorsMs: short ? 4000 : 20_000,
  factsPerSecond: short ? 400 : 1500,
  heapMb: short ? 192 : 256,
  large: short ? { share: 0.06, endWithinMs: 30_000 } : { share: 0.03, endWithinMs: 90_000 },
  victims: short ? 2 : 18,
  commandMs: short ? 600_000 : 900_000,
  drainMs: short ? 600_000 : 900_000,
  sample: short ? 300 : 10_000,
};
const FINDINGS = ['lost', 'lostEnds', 'double', 'unknown', 'different'];
const isClean = (found) => FINDINGS.every((name) => found[name].length === 0);

const begun = Date.now();
const log = (line) =>
  process.stderr.write(`${((Date.now() - begun) / 1000).toFixed(1).padStart(7)} s  ${line}\n`);

const random = randomFrom(Number(flags.seed));
const { disk, reason } = flags['no-disk-full']
  ? { reason: '--no-disk-full' }
  : clickHouseDisk(goal.diskBytes);
if (reason) log(`the disk is never full in this run: ${reason}`);
const diskFaults = (count) =>
  disk ? times(count, () => diskFull(faults, disk, goal.diskFullMs)) : [];
const server = await startLoadServer({
  ...(disk && { clickhouseDirectory: disk.directory }),
  ...{ name: 'chaos', ingests: 2, workers: 2, proxied: true },
  workerFlags: [`--max-old-space-size=${goal.heapMb}`],
});
log(`seed ${flags.seed}, server in ${server.directory}`);
const record = new Acknowledged();
const { ports, key } = { ports: server.ingests.map(({ port }) => port), key: server.key };
const writer = new Writer({
  ...{ ports, key, record, random },
  ...{ factsPerSecond: goal.factsPerSecond, large: goal.large },
});
const faults = new Faults({ server, writer, random, log });
const misbehaving = new Misbehaving({ ports, key, random, restMs: short ? 1500 : 500 });
const victims = new Victims({ server, count: goal.victims });
const operators = new Operators({
  ...{ server, random, log, withinMs: goal.commandMs },
  choose: short ? inTurn() : anyCommand,
  onDone: (args) => victims.done(args),
});

let result;
try {
  await victims.write();
  writer.begin();
  misbehaving.begin();
  operators.begin({ atOnce: short ? 1 : 2, restMs: short ? 500 : 4000 });
  await (short ? shortForm() : longForm());
  await operators.stop();
  await enoughFacts();
  await Promise.all([writer.stop(), misbehaving.stop()]);
  for (const args of [...victims.open, ['expire']]) await operators.finish(args);
  log(`${record.facts} facts acknowledged; waiting until they are visible`);
  result = await verdict();
} finally {
  const keepFiles = flags.keep || !result?.hasPassed;
  await server.stop({ keepFiles });
  if (keepFiles) disk?.copyTo(join(server.directory, 'clickhouse'));
  disk?.unmount();
}
print(result, server.directory);
if (flags.json) writeFileSync(flags.json, `${JSON.stringify(result, null, 2)}\n`);
process.exit(result.hasPassed ? 0 : 1);

/**
 * Every kind of fault once, while one worker is frozen. Workers are killed first: the jobs of a killed worker wait until
 * their lock expires, and the other faults use that time.
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
    () => faults.storeOutage(goal.outageMs),
    () => queueFull(faults, goal.fullMs),
    () => scriptsLost(faults, 10),
    () => readOnly(faults, goal.readOnlyMs),
    () => serverErrors(faults, goal.errorsMs),
    () => responsesLost(faults, goal.errorsMs),
    ...diskFaults(1),
    () => faults.kill(ingest2, server.redis),
  ]) {
    await fault();
    await pause(300, 1000);
  }
  await frozen;
}

/** The arguments of the commands beside the load, except erasures. */
function commands() {
  const hourAgo = new Date(Date.now() - 3_600_000).toISOString();
  return {
    rebuild: ['rebuild'],
    records: ['rebuild', '--records'],
    sweep: ['sweep', '--from', hourAgo],
    ledger: ['ledger', '--json'],
    expire: ['expire'],
    replay: ['replay', '--project', projects[0], '--rate', '100000'],
    deadLetters: ['dead-letters', 'replay', '--project', JUNK, '--limit', '20'],
  };
}

/**
 * Every command once, some of them paused or killed. No rebuild is killed: a worker finishes it only after a minute or two.
 */
function inTurn() {
  let turn = 0;
  const { rebuild, records, sweep, ledger, expire, replay, deadLetters } = commands();
  const [first, ...others] = victims.open;
  const list = [rebuild, first, sweep, ...others, replay, expire, records, deadLetters, ledger];
  return () => {
    const args = list[turn++ % list.length];
    return { args, pauseMs: 3000, mayKill: args[0] !== 'rebuild' };
  };
}

/** Any command, an erasure in three of ten. A pause may be longer than the lock of a rebuild or an erasure, 30 s. */
function anyCommand() {
  const open = victims.open;
  const pauseMs = random() < 0.3 ? 40_000 : 1000 + random() * 9000;
  const list = open.length > 0 && random() < 0.3 ? open : Object.values(commands());
  return { args: list[Math.floor(random() * list.length)], pauseMs, mayKill: true };
}

async function longForm() {
  const members = [...server.ingests, ...server.workers, server.redis, server.clickhouse];
  const list = [
    ...members.map((member) => () => faults.kill(member)),
    ...times(6, () => faults.killAfterInsert('calls')),
    ...times(4, () => faults.killAfterInsert('call_events')),
    ...times(2, () => faults.killAll()),
    ...times(3, () => queueFull(faults, goal.fullMs)),
    ...times(3, () => scriptsLost(faults, 40)),
    ...times(2, () => readOnly(faults, goal.readOnlyMs)),
    ...times(3, () => serverErrors(faults, goal.errorsMs)),
    () => valueErrors(faults, goal.errorsMs),
    ...times(3, () => responsesLost(faults, goal.errorsMs)),
    ...diskFaults(3),
    () => faults.storeOutage(goal.outageMs),
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

/** Freezes one worker after the other, while the other faults run. */
async function freezeBoth() {
  for (const worker of server.workers) {
    await pause(5000, 20_000);
    await faults.freeze(worker, goal.freezeMs);
  }
}

/** Whether most kills that were to follow an insert saw no insert: such a kill proves nothing. */
function missedInserts() {
  const kills = faults.history.filter(({ fault }) => /insert/.test(fault));
  return kills.filter(({ note }) => note === 'no insert seen').length > kills.length / 2;
}

async function enoughFacts() {
  if (record.facts < goal.facts) log(`${record.facts} facts so far; the rest at full rate`);
  writer.factsPerSecond = Infinity;
  while (record.facts < goal.facts) await sleep(100);
}

async function verdict() {
  const stoppedAt = Date.now();
  const isDrained =
    (await drained(server, goal.drainMs)) && (await rebuildsFinished(server, goal.drainMs));
  const drainMs = Date.now() - stoppedAt;
  log(`${isDrained ? 'drained' : 'NOT drained'} after ${drainMs} ms`);
  const found = await compareAll(server, record);
  const later = isClean(found) ? undefined : await compareLater();
  log(
    `${found.stored} stored calls compared${isClean(found) ? '' : ': NOT as acknowledged'}; reading over HTTP`,
  );
  const http = await compareOverHttp(server, record, { sample: goal.sample, random });
  const deadLetters = await countDeadLetters(server, [...projects, ...victims.projects]);
  const revived = await victims.check();
  const failedCommands = operators.history.filter(({ outcome }) => outcome === 'failed');
  const balance = await ledger(server);
  const failures = [
    !isDrained && 'facts are still pending',
    !isClean(found) && 'the stored calls are not the acknowledged ones',
    http.counted !== http.requested &&
      `${http.requested} calls requested by id, ${http.counted} counted`,
    http.different.length > 0 && `${http.different.length} calls read back differently`,
    deadLetters.own > 0 && `${deadLetters.own} dead letters`,
    ...revived,
    ...failedCommands.map(({ command, text }) => `cli ${command} failed: ${text.slice(-500)}`),
    misbehaving.unexpected.length > 0 &&
      `${misbehaving.unexpected.length} responses to the misbehaving client were 5xx and not 503`,
    writer.unexpected.length > 0 &&
      `${writer.unexpected.length} responses were neither 200, 429 nor 503`,
    balance.state === 'broken' && 'the ledger does not balance',
    missedInserts() && 'most kills after an insert saw no insert',
    record.facts < goal.facts && 'too few facts',
    faults.kills < goal.kills && 'too few kills',
    ...faults.history
      .filter(({ note }) => /^no /.test(note) && note !== 'no insert seen')
      .map(({ fault, note }) => `${fault}: ${note}`),
  ].filter(Boolean);
  return {
    hasPassed: failures.length === 0,
    failures,
    seed: flags.seed,
    seconds: (Date.now() - begun) / 1000,
    facts: record.facts,
    calls: record.calls,
    kills: faults.kills,
    failedStarts: faults.failedStarts,
    writes: writer.counts,
    unexpected: [...writer.unexpected, ...misbehaving.unexpected].slice(0, 10),
    drainMs,
    stored: found.stored,
    found: shown(found),
    later: later && shown(later),
    http: { ...http, different: http.different.slice(0, 20) },
    deadLetters,
    largeCalls: writer.largeCalls,
    misbehaving: misbehaving.counts,
    revived,
    commands: operators.history,
    ledger: balance,
    faults: faults.history,
  };
}

/** Distinguishes late from lost. Late is a failure, too, because no read had reported pending facts. */
async function compareLater() {
  log('calls are missing or wrong; comparing again in 30 s');
  await sleep(30_000);
  return compareAll(server, record);
}

function shown(found) {
  return Object.fromEntries(
    FINDINGS.map((name) => [name, { count: found[name].length, first: found[name].slice(0, 20) }]),
  );
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
