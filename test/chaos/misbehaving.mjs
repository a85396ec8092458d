import { setTimeout as sleep } from 'node:timers/promises';
import { Connection, requestHead } from '../support/load-connection.mjs';

const BATCH = '/call/upsert_batch';
/** The largest body that is accepted by default is 32 MiB. */
const TOO_LARGE = Buffer.alloc(33 * 1024 ** 2 + 1, 'x');
const MOST_PROJECTS = 4000;
const MOST_MODELS = 20_000;

/** The project with most of the malformed items. */
export const JUNK = 'junk/items';

/**
 * A client of other projects that does everything wrong within the documented limits. It may get any 4xx, and 503 during a
 * fault.
 */
export class Misbehaving {
  counts = { requests: 0, accepted: 0, refused: 0, unavailable: 0, broken: 0 };
  /** Responses with another 5xx; there should be none. */
  unexpected = [];
  #isStopping = false;
  #loop = Promise.resolve();
  #serial = 0;

  constructor({ ports, key, random, restMs }) {
    Object.assign(this, { ports, random, restMs });
    this.head = requestHead(BATCH, key);
    this.unknownHead = requestHead(BATCH, 'no-such-key');
    this.kinds = [
      () => ({ body: Buffer.from('{"batch":[{"mode":"start","req":') }),
      () => ({ body: batchOf(this.#times(50, () => this.#malformed())) }),
      () => ({ body: batchOf(this.#times(1000, () => ({ junk: this.#id(), n: this.random() }))) }),
      () => ({ body: batchOf(this.#times(200, () => endOf(JUNK, this.#id()))) }),
      () => ({ body: batchOf(this.#times(10, () => this.#manyModels()).flat()) }),
      () => ({ body: batchOf(this.#times(100, () => this.#inNewProject())) }),
      () => ({ body: batchOf([]), head: this.unknownHead }),
      () => ({ body: this.random() < 0.2 ? TOO_LARGE : Buffer.from('null') }),
    ];
  }

  begin() {
    this.#loop = this.#run();
  }

  async stop() {
    this.#isStopping = true;
    await this.#loop;
  }

  async #run() {
    for (let turn = 0; !this.#isStopping; turn++) {
      const { body, head = this.head } = this.kinds[turn % this.kinds.length]();
      await this.#send(this.ports[turn % this.ports.length], head, body);
      await sleep(this.random() * 2 * this.restMs);
    }
  }

  async #send(port, head, body) {
    this.counts.requests++;
    const connection = new Connection(port, 20_000);
    try {
      const { status, body: text } = await connection.send(head, body);
      if (status < 400) this.counts.accepted++;
      else if (status < 500) this.counts.refused++;
      else if (status === 503) this.counts.unavailable++;
      else this.unexpected.push(`${status} ${text.toString('utf8').slice(0, 200)}`);
    } catch {
      // A killed ingest, or one that refuses a large body before its end.
      this.counts.broken++;
    } finally {
      connection.close();
    }
  }

  #malformed() {
    const start = startOf(JUNK, this.#id());
    const wrong = [
      { ...start, id: undefined },
      { ...start, id: 'x'.repeat(200) },
      { ...start, started_at: 'yesterday' },
      { ...start, project_id: 'no-entity' },
      { ...start, inputs: nested(250) },
      { ...start, trace_id: 7 },
    ];
    return { mode: 'start', req: { start: wrong[Math.floor(this.random() * wrong.length)] } };
  }

  #manyModels() {
    const id = this.#id();
    const models = this.#times(50, () => `model-${Math.floor(this.random() * MOST_MODELS)}`);
    const usage = Object.fromEntries(
      models.map((name) => [name, { requests: 1, total_tokens: 7 }]),
    );
    const { req } = endOf('junk/models', id);
    const end = { mode: 'end', req: { end: { ...req.end, summary: { usage } } } };
    return [{ mode: 'start', req: { start: startOf('junk/models', id) } }, end];
  }

  #inNewProject() {
    const project = `junk/project-${Math.floor(this.random() * MOST_PROJECTS)}`;
    return { mode: 'start', req: { start: startOf(project, this.#id()) } };
  }

  #id() {
    return `junk-${this.#serial++}`;
  }

  #times(count, make) {
    return Array.from({ length: count }, make);
  }
}

const batchOf = (batch) => Buffer.from(JSON.stringify({ batch }));

const startOf = (project_id, id) => ({
  ...{ project_id, id, trace_id: id, op_name: 'junk', started_at: new Date().toISOString() },
  ...{ attributes: {}, inputs: {} },
});

const endOf = (project_id, id) => ({
  mode: 'end',
  req: { end: { project_id, id, ended_at: new Date().toISOString(), summary: {} } },
});

function nested(levels) {
  let value = 1;
  for (let i = 0; i < levels; i++) value = [value];
  return value;
}
