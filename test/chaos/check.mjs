import { setTimeout as sleep } from 'node:timers/promises';
import { compare, hashOf } from '../support/acknowledged.mjs';
import { idOf, numberOf, projectOf, projects } from './writer.mjs';

const IDS_PER_QUERY = 500;
const AT_ONCE = 8;
const BUSY_WITHIN_MS = 300_000;

/** Waits until no fact of the writer is pending in any project. Resolves with false when the time is over. */
export async function drained(server, withinMs) {
  const deadline = Date.now() + withinMs;
  for (const project of projects) {
    while ((await pending(server, project)) > 0) {
      if (Date.now() > deadline) return false;
      await sleep(100);
    }
  }
  return true;
}

/** A read waits for its caller's writes and reports how many chunks are still pending. */
async function pending(server, project) {
  const body = { project_id: project, id: 'no-such-call' };
  return (await server.send('/call/read', body)).pending;
}

/** Compares every stored call, read from ClickHouse directly, with the record. */
export async function compareAll(server, record) {
  const rows = [];
  for (const project of projects) {
    const stored = await server.sql(
      `SELECT id, lower(hex(substring(SHA1(inputs), 1, 8))),
        if(output = '', '', lower(hex(substring(SHA1(output), 1, 8))))
      FROM calls FINAL WHERE project_id = '${project}'`,
    );
    for (const [id, inputs, output] of stored) rows.push([numberOf(id), inputs, output]);
  }
  return { stored: rows.length, ...compare(record, rows) };
}

/** Compares over HTTP: it counts every call by its id and reads the contents of a sample. */
export async function compareOverHttp(server, record, { sample, random }) {
  const reader = new PatientReader(server);
  const background = await backgroundWork(server);
  const known = numbersWhere(record, (number) => record.wasAcknowledged('start', number));
  const counted = await countById(reader, known);
  const chosen = known.length <= sample ? known : pick(known, sample, random);
  const different = [];
  await inParallel(chosen, async (number) => {
    if (!(await readsAsSent(reader, record, number))) different.push(number);
  });
  const { repeats, slowestMs } = reader;
  return {
    requested: known.length,
    counted,
    read: chosen.length,
    different,
    repeats,
    slowestMs,
    background,
  };
}

/** What ClickHouse does beside reads, and how many parts of calls it has: what reads share its CPU with. */
async function backgroundWork(server) {
  const [[parts, merges, mutations]] = await server.sql(
    `SELECT
      (SELECT count() FROM system.parts WHERE active AND table = 'calls'),
      (SELECT count() FROM system.merges),
      (SELECT count() FROM system.mutations WHERE NOT is_done)`,
  );
  return { parts: Number(parts), merges: Number(merges), mutations: Number(mutations) };
}

/**
 * Waits until workers have finished the rebuilds that were killed after they had exchanged a table. Resolves with false when
 * the time is over.
 */
export async function rebuildsFinished(server, withinMs) {
  const deadline = Date.now() + withinMs;
  while ((await server.redisCommand('KEYS', '{heddle}:rebuild:*')).length > 0) {
    if (Date.now() > deadline) return false;
    await sleep(500);
  }
  return true;
}

/** The number of dead letters of these projects, to which only valid facts were sent, and of all others. */
export async function countDeadLetters(server, projects) {
  const list = projects.map((project) => `'${project}'`).join();
  const [[own, others]] = await server.sql(
    `SELECT countIf(project_id IN (${list})), countIf(project_id NOT IN (${list})) FROM dead_letters FINAL`,
  );
  return { own: Number(own), others: Number(others) };
}

/** `holds` or `broken`, with the output of the command. */
export async function ledger(server) {
  try {
    return { state: 'holds', text: await server.cli('ledger', '--json') };
  } catch (error) {
    return { state: 'broken', text: `${error.stdout ?? ''}${error.stderr ?? error.message}` };
  }
}

async function countById(reader, numbers) {
  const queries = [];
  for (const project of projects) {
    const own = numbers.filter((number) => projectOf(number) === project);
    for (let at = 0; at < own.length; at += IDS_PER_QUERY) {
      queries.push({ project, ids: own.slice(at, at + IDS_PER_QUERY).map(idOf) });
    }
  }
  let total = 0;
  await inParallel(queries, async ({ project, ids }) => {
    const body = { project_id: project, filter: { call_ids: ids } };
    const { json } = await reader.send('/calls/query_stats', body);
    total += json.count;
  });
  return total;
}

/** Repeats a read for which the server has no place, as clients do, and counts these. A key has half of the places. */
class PatientReader {
  repeats = 0;
  slowestMs = { '/calls/query_stats': 0, '/call/read': 0 };

  constructor(server) {
    this.server = server;
  }

  async send(path, body) {
    const deadline = Date.now() + BUSY_WITHIN_MS;
    for (;;) {
      const begun = performance.now();
      try {
        return await this.server.send(path, body);
      } catch (error) {
        if (!error.message.includes('"reads_busy"') || Date.now() > deadline) throw error;
        this.repeats++;
        await sleep(1000);
      } finally {
        this.slowestMs[path] = Math.max(this.slowestMs[path], performance.now() - begun);
      }
    }
  }
}

async function readsAsSent(reader, record, number) {
  const body = { project_id: projectOf(number), id: idOf(number) };
  const { call } = (await reader.send('/call/read', body)).json;
  if (call === null || hashOf(JSON.stringify(call.inputs)) !== record.hash('start', number)) {
    return false;
  }
  return call.output === null
    ? !record.wasAcknowledged('end', number)
    : hashOf(JSON.stringify(call.output)) === record.hash('end', number);
}

function numbersWhere({ calls }, test) {
  return Array.from({ length: calls }, (_, number) => number).filter(test);
}

function pick(numbers, count, random) {
  const chosen = new Set();
  while (chosen.size < count) chosen.add(numbers[Math.floor(random() * numbers.length)]);
  return [...chosen];
}

async function inParallel(items, act) {
  const waiting = [...items];
  const runner = async () => {
    for (let item = waiting.pop(); item !== undefined; item = waiting.pop()) await act(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, runner));
}
