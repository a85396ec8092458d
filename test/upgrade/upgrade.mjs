// Upgrades a split server from an earlier release to this one under load, and back. `npm run test:upgrade -- --from <commit>`.
// README.md says what is checked.
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { fileURLToPath } from 'node:url';
import { startGateway } from '../support/cluster-gateway.mjs';
import { startLoadServer } from '../support/load-server.mjs';
import { Load, PROJECT } from './load.mjs';
import { compiledRelease } from './release.mjs';

/** Version 0.1.0: the last commit before the changes of the next version. */
const FIRST_RELEASE = '2ff9845';
const PHASE_MS = 6000;
const DRAINED_WITHIN_MS = 120_000;
const IDS_PER_QUERY = 500;

const { values } = parseArgs({ options: { from: { type: 'string', default: FIRST_RELEASE } } });
const releases = {
  old: compiledRelease(values.from),
  new: fileURLToPath(new URL('../../', import.meta.url)),
};

const server = await startLoadServer({ name: 'upgrade', release: releases.old });
/** The apps that run, and those that the gateway sends requests to. */
let apps = { ingest: server.ingests[0], worker: server.workers[0], query: server.query };
const ports = { ingest: [apps.ingest.port], query: [apps.query.port] };
const gateway = await startGateway(ports);
const load = new Load(gateway.url, server.key);
let hasFailed = false;
try {
  await phase(`all apps of ${values.from}`);

  server.release = releases.new;
  await server.cli('migrate');
  await phase('the tables of this release, the apps of the other');

  const former = await startBeside('new');
  await phase('both releases on one queue');

  await stopFormer(former);
  await phase('all apps of this release');

  server.release = releases.old;
  const latter = await startBeside('old');
  await phase('back: both releases on one queue');

  await stopFormer(latter);
  await phase('back: all apps of the other release, the tables of this one');

  server.release = releases.new;
  await stopFormer(await startBeside('again'));
  await phase('all apps of this release, again');

  await load.stop();
  await check();
} finally {
  await load.stop();
  gateway.close();
  await server.stop();
}
process.exitCode = hasFailed ? 1 : 0;

async function phase(name) {
  const before = load.calls.length;
  await sleep(PHASE_MS);
  console.log(`${name}: ${load.calls.length - before} calls acknowledged`);
}

/** Starts one of each app beside those that run, workers first. The gateway uses both. Resolves with the former ones. */
async function startBeside(name) {
  const former = apps;
  apps = {};
  for (const app of ['worker', 'query', 'ingest']) {
    apps[app] = await server.app(app, `${app}-${name}`);
    await apps[app].start();
    ports[app]?.push(apps[app].port);
  }
  return former;
}

/** As an orchestrator does it: the gateway sends nothing more to a process, then the process gets SIGTERM. */
async function stopFormer(former) {
  for (const app of ['worker', 'query', 'ingest']) {
    const { port } = former[app];
    if (ports[app]) ports[app].splice(ports[app].indexOf(port), 1);
    await former[app].stop();
  }
}

async function check() {
  await drained();
  const { calls, uncertain, feedback, objects, problems, responses } = load;
  console.log(`${responses} responses, ${calls.length} calls, ${uncertain.length} uncertain`);
  expect('responses other than 200', Object.fromEntries(problems), {});

  const stored = new Map(
    await server.sql(`SELECT id, output FROM calls FINAL WHERE project_id = '${PROJECT}'`),
  );
  const sent = new Set([...calls, ...uncertain]);
  const lost = calls.filter((id) => stored.get(id) !== JSON.stringify(id));
  expect('acknowledged calls that are lost or incomplete', lost.length, 0);
  expect('calls that were never sent', [...stored.keys()].filter((id) => !sent.has(id)).length, 0);
  expect('acknowledged calls over HTTP', await counted(calls), calls.length);

  const count = async (table, id, ids) => {
    const rows = await server.sql(
      `SELECT ${id}, count() FROM ${table} FINAL WHERE project_id = '${PROJECT}' GROUP BY ${id}`,
    );
    const known = new Map(rows);
    return ids.filter((one) => Number(known.get(one)) !== 1).length;
  };
  expect('feedback lost or doubled', await count('feedback', 'id', feedback), 0);
  expect('objects lost or doubled', await count('objects', 'object_id', objects), 0);

  const [[deadLetters]] = await server.sql('SELECT count() FROM dead_letters FINAL');
  expect('dead letters', Number(deadLetters), 0);
  const [[facts, unique]] = await server.sql(
    `SELECT count(), uniqExact(call_id, kind) FROM call_events FINAL WHERE project_id = '${PROJECT}'`,
  );
  expect('facts in the log, each once', Number(facts), Number(unique));
  const ledger = await server.cli('ledger', '--json').then(
    () => 'holds',
    (error) => `${error.stdout}${error.stderr}`,
  );
  expect('the ledger', ledger, 'holds');
}

async function drained() {
  const deadline = Date.now() + DRAINED_WITHIN_MS;
  for (const stream of ['', 'records:']) {
    const key = `{heddle}:${stream}inflight`;
    while (Number(await server.redisCommand('ZCARD', key)) > 0) {
      if (Date.now() > deadline) return expect(`pending chunks in ${key}`, 'some', 'none');
      await sleep(200);
    }
  }
}

async function counted(ids) {
  let sum = 0;
  for (let from = 0; from < ids.length; from += IDS_PER_QUERY) {
    const call_ids = ids.slice(from, from + IDS_PER_QUERY);
    const { count } = await load.send('/calls/query_stats', {
      project_id: PROJECT,
      filter: { call_ids },
    });
    sum += count;
  }
  return sum;
}

function expect(what, actual, expected) {
  const isEqual = JSON.stringify(actual) === JSON.stringify(expected);
  console.log(`${isEqual ? 'ok  ' : 'FAIL'} ${what}: ${JSON.stringify(actual)}`);
  hasFailed ||= !isEqual;
}
