import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { ifRunning } from '../support/proc-cpu.mjs';
import { newKey } from './attacking.mjs';
import { clientOf } from './http-client.mjs';
import { familyOf } from './process-memory.mjs';
import { storeCalls } from './stored-calls.mjs';
import { inMiB, LIMITS } from './verdict.mjs';

const MiB = 1024 * 1024;
/** After this time without requests our processes have returned what large requests used. */
const SOON_MS = 5000;
/** After this time the allocators of ClickHouse and Redis have done so, too, and V8 has made its young generation small. */
const SETTLE_MS = 40_000;
/** The least of the last seconds counts then, because ClickHouse may just merge what was stored before. */
const LEAST_OF_MS = 15_000;
const LOOK_MS = 250;

/** What a process may have after the attacks, of what it had after an ordinary load; small ones more, for compiled code and data of the attacks. */
const GROWTH = 1.25;
const GROWTH_FLOOR_BYTES = 64 * MiB;
/**
 * The same for ClickHouse, which then has a hundred times the rows. By its own count 33 MiB are in use (`MemoryTracking`); its
 * allocator has the rest and returns 2 MiB of it on request, and 250 MiB are pages of its program.
 */
const CLICKHOUSE_FLOOR_BYTES = 128 * MiB;

const ORDINARY_CALLS = 30_000;
const ORDINARY_TEXT = 'a prompt of an application, and the reply of its model. '.repeat(50);

/** The memory of every process of a standalone server: what it has at most, and what it has when nothing is sent any more. */
export class ServerMemory {
  most = {};
  #pid;
  #timer;

  constructor(pid) {
    this.#pid = pid;
    this.#timer = setInterval(() => this.#look(), LOOK_MS);
  }

  stop() {
    clearInterval(this.#timer);
  }

  /** Bytes by process, five seconds after the last request and when nothing changes any more. */
  async settled() {
    await sleep(SOON_MS);
    const soon = this.#look();
    await sleep(SETTLE_MS - SOON_MS - LEAST_OF_MS);
    const later = this.#look();
    for (let ms = 0; ms < LEAST_OF_MS; ms += LOOK_MS) {
      await sleep(LOOK_MS);
      const now = this.#look();
      for (const name in now) later[name] = Math.min(later[name] ?? Infinity, now[name]);
    }
    return { soon, later };
  }

  #look() {
    const bytes = residentByProcess(this.#pid);
    for (const [name, now] of Object.entries(bytes))
      this.most[name] = Math.max(this.most[name] ?? 0, now);
    return bytes;
  }
}

/** What clients send every day: calls of 3 KB, 100 per request. A process that has only been started has not grown to its usual size. */
export async function sendOrdinaryLoad({ url, key }) {
  const project = 'ordinary/demo';
  const writer = await newKey(clientOf(url, key), project, 'write');
  const owner = { send: clientOf(url, writer) };
  await storeCalls({ owner, project }, ORDINARY_CALLS, () => ({ text: ORDINARY_TEXT }));
}

/** One sentence for each process that exceeded its memory, or did not return it. */
export function memoryVerdict({ before, most, after }) {
  return Object.keys(before.later).flatMap((name) => {
    const isOurs = name === 'standalone' || name === 'worker';
    const exceeded = isOurs && most[name] > LIMITS.residentBytes;
    return [
      ...(exceeded
        ? [`${name}: ${inMiB(most[name])} MiB resident, allowed ${inMiB(LIMITS.residentBytes)}`]
        : []),
      ...(isOurs ? returned(name, SOON_MS, before.soon[name], after.soon[name]) : []),
      ...returned(name, SETTLE_MS, before.later[name], after.later[name]),
    ];
  });
}

function returned(name, ms, before, after) {
  const floor = name === 'clickhouse' ? CLICKHOUSE_FLOOR_BYTES : GROWTH_FLOOR_BYTES;
  const allowed = Math.max(before * GROWTH, before + floor);
  if (after <= allowed) return [];
  return [`${name}: ${inMiB(after)} MiB ${ms / 1000} s afterwards, allowed ${inMiB(allowed)}`];
}

export function memoryReport(memory) {
  const { before, most, after } = memory;
  const rows = Object.keys(before.later).map((name) => {
    const figures = [before.soon, before.later, most, after.soon, after.later].map((bytes) =>
      `${inMiB(bytes[name] ?? NaN)}`.padStart(8),
    );
    return `  ${name.padEnd(12)}${figures.join('')}`;
  });
  const times = `${SOON_MS / 1000} and ${SETTLE_MS / 1000} s after`;
  return [
    `Resident MiB ${times} an ordinary load, at most, and ${times} the attacks:`,
    ...rows,
    ...memoryVerdict(memory).map((sentence) => `  ✗ ${sentence}`),
  ].join('\n');
}

/** A shell that waits for one of them has its name in its command, too, and hardly any memory. */
function residentByProcess(root) {
  const bytes = {};
  for (const { pid, rss } of familyOf(root)) {
    const name = nameOf(pid);
    if (name !== undefined) bytes[name] = Math.max(bytes[name] ?? 0, rss);
  }
  return bytes;
}

function nameOf(pid) {
  const command = ifRunning(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8')) ?? '';
  return /(redis)-server|(clickhouse)-server\/main|apps\/(standalone|worker)\//
    .exec(command)
    ?.slice(1)
    .find((name) => name !== undefined);
}
