import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { hashOf } from '../support/acknowledged.mjs';
import { Connection, requestHead } from '../support/load-connection.mjs';

const CLIENTS = 12;
const MOST_PER_REQUEST = 60;
const MOST_APART_MS = 1500;
/** The share of failed requests that are not sent again. Their facts may be stored or not. */
const GIVE_UP = 0.03;
/** The share of acknowledged requests that are sent a second time, which must change nothing. */
const SEND_AGAIN = 0.05;
const LATE_ENDS_PER_REQUEST = 20;
const LARGE_MIN_BYTES = 300_000;
const LARGE_MAX_BYTES = 500_000;
/** The text of large payloads, which cannot be compressed well. */
const LARGE_TEXT = randomBytes(LARGE_MAX_BYTES).toString('base64');
const PROJECTS = ['chaos/a', 'chaos/b', 'chaos/c', 'chaos/d'];

const BEGUN = Date.now() - 3_600_000;

export const projects = PROJECTS;

/** The number of a call determines its project. */
export const projectOf = (number) => PROJECTS[number % PROJECTS.length];
/** Half of the calls start now, which a worker may fold without the log. The others started an hour ago. */
const isYoung = (number) => number % 8 < 4;
/** A time in the id would make a young call old. */
export const idOf = (number) =>
  `0197c4a0-0000-${isYoung(number) ? 4000 : 7000}-8000-${number.toString(16).padStart(12, '0')}`;
export const numberOf = (id) => Number.parseInt(id.slice(-12), 16);

/**
 * Writes calls until it is stopped, and records what it sent. Starts go to one ingest and ends to the other, at the same
 * time or soon after, so that two workers have facts of the same call. A failed request is sent again, half of the time
 * to the other ingest. Some calls have a large start, and their ends come much later.
 */
export class Writer {
  /** Infinity while a fault needs the full rate. */
  factsPerSecond;
  counts = { requests: 0, acknowledged: 0, refused429: 0, refused503: 0, broken: 0, givenUp: 0 };
  /** Responses other than 200, 429 and 503; there should be none. */
  unexpected = [];
  /** The time at which the newest acknowledged request was sent. */
  lastAckAt = 0;
  /** The number of calls with a large start and a late end. */
  largeCalls = 0;

  #next = 0;
  #nextDueAt = 0;
  #stopping = false;
  #clients = [];
  #lateEnds = [];
  #lateClient = Promise.resolve();
  #isLast = false;

  /** `large` is the share of requests with a large start, and how much later at most the end of its call follows. */
  constructor({ ports, key, record, random, factsPerSecond, large }) {
    Object.assign(this, { ports, record, random, factsPerSecond, large });
    this.head = requestHead('/call/upsert_batch', key);
  }

  begin() {
    this.#nextDueAt = performance.now();
    this.#clients = Array.from({ length: CLIENTS }, () => this.#client());
    this.#lateClient = this.#sendLateEnds();
  }

  /** Resolves when every request in progress has been acknowledged or given up. */
  async stop() {
    this.#stopping = true;
    await Promise.all(this.#clients);
    this.#isLast = true;
    await this.#lateClient;
  }

  /** Resolves when a request sent from now on is acknowledged, with the time that took; Infinity when it takes too long. */
  async nextAck(withinMs) {
    const since = performance.now();
    while (this.lastAckAt < since) {
      if (performance.now() - since > withinMs) return Infinity;
      await sleep(5);
    }
    return performance.now() - since;
  }

  async #client() {
    const connections = this.#connect();
    while (!this.#stopping) {
      if (this.random() < this.large.share) await this.#writeLarge(connections);
      const size = 1 + Math.floor(this.random() ** 2 * MOST_PER_REQUEST);
      await this.#due(2 * size);
      await this.#writeCalls(connections, size);
    }
    closeAll(connections);
  }

  #connect() {
    const open = () => this.ports.map((port) => new Connection(port, 20_000));
    return { start: open(), end: open() };
  }

  async #writeLarge(connections) {
    const numbers = this.#newNumbers(1);
    const bytes = LARGE_MIN_BYTES + this.random() * (LARGE_MAX_BYTES - LARGE_MIN_BYTES);
    await this.#write(connections, this.#anyIngest(), this.#facts('start', numbers, bytes));
    const dueAt = performance.now() + (0.3 + 0.7 * this.random()) * this.large.endWithinMs;
    this.#lateEnds.push({ number: numbers[0], dueAt });
    this.largeCalls++;
  }

  /** The ends of large calls, when their workers have long stored the starts. The last ones follow at once. */
  async #sendLateEnds() {
    const connections = this.#connect();
    while (!this.#isLast || this.#lateEnds.length > 0) {
      const numbers = this.#dueEnds();
      if (numbers.length === 0) await sleep(100);
      else await this.#write(connections, this.#anyIngest(), this.#facts('end', numbers));
    }
    closeAll(connections);
  }

  #dueEnds() {
    const now = performance.now();
    const due = this.#lateEnds
      .filter(({ dueAt }) => this.#isLast || dueAt <= now)
      .slice(0, LATE_ENDS_PER_REQUEST);
    this.#lateEnds = this.#lateEnds.filter((end) => !due.includes(end));
    return due.map(({ number }) => number);
  }

  #anyIngest() {
    return this.random() < 0.5 ? 0 : 1;
  }

  /** Limits the rate. After an outage it catches up on one second at most. */
  async #due(facts) {
    const now = performance.now();
    if (this.factsPerSecond === Infinity) return;
    this.#nextDueAt = Math.max(this.#nextDueAt, now - 1000) + (facts / this.factsPerSecond) * 1000;
    if (this.#nextDueAt > now) await sleep(this.#nextDueAt - now);
  }

  async #writeCalls(connections, size) {
    const numbers = this.#newNumbers(size);
    const here = this.#anyIngest();
    const there = 1 - here;
    const atOnce = this.factsPerSecond === Infinity || this.random() < 0.4;
    const apart = atOnce ? 0 : this.random() * MOST_APART_MS;
    const endFirst = this.random() < 0.2;
    const late = async (facts, at) => {
      await sleep(apart);
      await this.#write(connections, at, facts);
    };
    const [first, second] = endFirst ? ['end', 'start'] : ['start', 'end'];
    await Promise.all([
      this.#write(connections, here, this.#facts(first, numbers)),
      late(this.#facts(second, numbers), there),
    ]);
  }

  #newNumbers(size) {
    const first = this.#next;
    this.#next += size;
    return Array.from({ length: size }, (_, i) => first + i);
  }

  #facts(kind, numbers, bytes = 0) {
    const items = numbers.map((number) => {
      const payload = JSON.stringify(payloadOf(kind, number, this.random, bytes));
      this.record.sent(kind, number, hashOf(payload));
      return itemText(kind, number, payload);
    });
    return { kind, numbers, body: Buffer.from(`{"batch":[${items.join(',')}]}`) };
  }

  async #write(connections, at, { kind, numbers, body }) {
    for (let target = at; ; target = this.random() < 0.5 ? target : 1 - target) {
      if (await this.#attempt(connections[kind][target], body)) {
        for (const number of numbers) this.record.acknowledged(kind, number);
        if (this.random() < SEND_AGAIN) await this.#attempt(connections[kind][1 - target], body);
        return;
      }
      if (this.random() < GIVE_UP) {
        this.counts.givenUp++;
        return;
      }
      await sleep(50 + this.random() * 250);
    }
  }

  async #attempt(connection, body) {
    const sentAt = performance.now();
    this.counts.requests++;
    let response;
    try {
      response = await connection.send(this.head, body);
    } catch {
      this.counts.broken++;
      return false;
    }
    if (response.status === 200) {
      this.counts.acknowledged++;
      this.lastAckAt = Math.max(this.lastAckAt, sentAt);
      return true;
    }
    if (response.status === 429) this.counts.refused429++;
    else if (response.status === 503) this.counts.refused503++;
    else this.unexpected.push(`${response.status} ${response.body.toString('utf8').slice(0, 200)}`);
    return false;
  }
}

/** A payload that differs for every fact, so that a mixture of two is detected. */
function payloadOf(kind, number, random, bytes) {
  const words = Array.from({ length: 20 + Math.floor(random() * 80) }, () =>
    Math.floor(random() * 1e9).toString(36),
  );
  const large = bytes > 0 ? { large: LARGE_TEXT.slice(0, bytes) } : {};
  return { kind, number, text: words.join(' '), ünïcode: '東京 👍', ratio: random(), ...large };
}

function closeAll({ start, end }) {
  for (const connection of [...start, ...end]) connection.close();
}

function itemText(kind, number, payload) {
  const common = `"project_id":"${projectOf(number)}","id":"${idOf(number)}"`;
  const trace = `"trace_id":"${idOf(number).replace('-7000-', '-4000-')}"`;
  const begun = isYoung(number) ? Date.now() : BEGUN + number;
  const timestamp = (ms) => new Date(begun + ms).toISOString();
  return kind === 'start'
    ? `{"mode":"start","req":{"start":{${common},${trace},"op_name":"chaos","started_at":"${timestamp(0)}","attributes":{},"inputs":${payload}}}}`
    : `{"mode":"end","req":{"end":{${common},"ended_at":"${timestamp(250)}","summary":{},"output":${payload}}}}`;
}
