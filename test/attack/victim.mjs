import { randomUUID } from 'node:crypto';
import { clientOf } from './http-client.mjs';

/** One request of each kind is due in this interval, whether or not earlier ones have their response. */
const INTERVAL_MS = 50;
/** Further requests are not sent but count as failed. A server that does not respond would otherwise fill this process. */
const OPEN_MAX = 256;

/** A small client of another tenant: it writes one call, reads one call, and requests `/healthz`, at a fixed rate. */
export class Victim {
  /** `{ kind, at, ms }` of every request; `ms` is Infinity for a failure. */
  samples = [];
  #timer;
  #open = new Set();
  #send;
  #project;
  #stored = randomUUID();

  constructor({ url, key, project }) {
    this.#send = clientOf(url, key);
    this.#project = project;
  }

  /** Resolves when the call that will be read can be read. */
  async prepare() {
    const id = this.#stored;
    await this.#ok('/call/start', { start: this.#start(id) });
    await this.#ok('/call/read', { project_id: this.#project, id });
  }

  begin() {
    const kinds = {
      write: () => this.#ok('/call/start', { start: this.#start(randomUUID()) }),
      read: () => this.#ok('/call/read', { project_id: this.#project, id: this.#stored }, EVENTUAL),
      healthz: () => this.#ok('/healthz', undefined, {}, 'GET'),
    };
    this.#timer = setInterval(() => {
      for (const [kind, request] of Object.entries(kinds)) this.#measure(kind, request);
    }, INTERVAL_MS);
  }

  /** Resolves when every request has its response, or has failed. */
  async stop() {
    clearInterval(this.#timer);
    await Promise.all(this.#open);
  }

  #measure(kind, request) {
    const at = performance.now();
    const sample = { kind, at, ms: Infinity };
    this.samples.push(sample);
    if (this.#open.size >= OPEN_MAX) return;
    // A request without a response yet has waited until now.
    Object.defineProperty(sample, 'ms', {
      configurable: true,
      get: () => performance.now() - at,
    });
    const settle = (ms) => Object.defineProperty(sample, 'ms', { value: ms });
    const done = request()
      .then(
        () => settle(performance.now() - at),
        () => settle(Infinity),
      )
      .finally(() => this.#open.delete(done));
    this.#open.add(done);
  }

  async #ok(path, body, headers, method) {
    const { status, text } = await this.#send(path, body, headers, method);
    if (status !== 200) throw new Error(`${path} responded with ${status}: ${text.slice(0, 200)}`);
  }

  #start(id) {
    return {
      ...{ project_id: this.#project, id, trace_id: id, op_name: 'victim' },
      ...{ started_at: new Date().toISOString(), attributes: {}, inputs: { text: 'small' } },
    };
  }
}

/** The victim reads an old call and does not wait for its own newest writes. */
const EVENTUAL = { 'x-heddle-consistency': 'eventual' };
