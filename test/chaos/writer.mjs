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
const PROJECTS = ['chaos/a', 'chaos/b', 'chaos/c', 'chaos/d'];

const BEGUN = Date.now() - 3_600_000;

export const projects = PROJECTS;

/** The number of a call determines its project. */
export const projectOf = (number) => PROJECTS[number % PROJECTS.length];
export const idOf = (number) => `0197c4a0-0000-7000-8000-${number.toString(16).padStart(12, '0')}`;
export const numberOf = (id) => Number.parseInt(id.slice(-12), 16);

/**
 * Writes calls until it is stopped, and records what it sent. Starts go to one ingest and ends to the other, at the same
 * time or soon after, so that two workers have facts of the same call. A failed request is sent again, half of the time
 * to the other ingest.
 */
export class Writer {
  /** Infinity while a fault needs the full rate. */
  factsPerSecond;
  counts = { requests: 0, acknowledged: 0, refused429: 0, refused503: 0, broken: 0, givenUp: 0 };
  /** Responses other than 200, 429 and 503; there should be none. */
  unexpected = [];
  /** The time at which the newest acknowledged request was sent. */
  lastAckAt = 0;

  #next = 0;
  #nextDueAt = 0;
  #stopping = false;
  #clients = [];

  constructor({ ports, key, record, random, factsPerSecond }) {
    Object.assign(this, { ports, record, random, factsPerSecond });
    this.head = requestHead('/call/upsert_batch', key);
  }

  begin() {
    this.#nextDueAt = performance.now();
    this.#clients = Array.from({ length: CLIENTS }, () => this.#client());
  }

  /** Resolves when every request in progress has been acknowledged or given up. */
  async stop() {
    this.#stopping = true;
    await Promise.all(this.#clients);
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
    const open = () => this.ports.map((port) => new Connection(port, 20_000));
    const connections = { start: open(), end: open() };
    while (!this.#stopping) {
      const size = 1 + Math.floor(this.random() ** 2 * MOST_PER_REQUEST);
      await this.#due(2 * size);
      await this.#writeCalls(connections, size);
    }
    for (const connection of [...connections.start, ...connections.end]) connection.close();
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
    const [here, there] = this.random() < 0.5 ? [0, 1] : [1, 0];
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

  #facts(kind, numbers) {
    const items = numbers.map((number) => {
      const payload = JSON.stringify(payloadOf(kind, number, this.random));
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
function payloadOf(kind, number, random) {
  const words = Array.from({ length: 20 + Math.floor(random() * 80) }, () =>
    Math.floor(random() * 1e9).toString(36),
  );
  return { kind, number, text: words.join(' '), ünïcode: '東京 👍', ratio: random() };
}

function itemText(kind, number, payload) {
  const common = `"project_id":"${projectOf(number)}","id":"${idOf(number)}"`;
  const trace = `"trace_id":"${idOf(number).replace('-7000-', '-4000-')}"`;
  const timestamp = (ms) => new Date(BEGUN + number + ms).toISOString();
  return kind === 'start'
    ? `{"mode":"start","req":{"start":{${common},${trace},"op_name":"chaos","started_at":"${timestamp(0)}","attributes":{},"inputs":${payload}}}}`
    : `{"mode":"end","req":{"end":{${common},"ended_at":"${timestamp(250)}","summary":{},"output":${payload}}}}`;
}
