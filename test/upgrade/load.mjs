// Clients that write calls and records and read them back while a server is upgraded.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

export const PROJECT = 'acme/upgraded';
const CALLS_PER_BATCH = 10;
const RESPONSE_WITHIN_MS = 60_000;

/** Remembers what was acknowledged and every response that was not 200. */
export class Load {
  /** Ids of calls whose start and end were acknowledged. */
  calls = [];
  /** Ids of calls that were sent in requests without a response of 200. Each may exist or not. */
  uncertain = [];
  feedback = [];
  objects = [];
  /** `path status` → how often, for responses other than 200; status 0 is a broken connection. */
  problems = new Map();
  responses = 0;
  #isOn = true;

  constructor(url, key, clients = 4) {
    this.url = url;
    this.key = key;
    const loops = Array.from({ length: clients }, () => this.#loop(() => this.#calls()));
    loops.push(this.#loop(() => this.#records()));
    this.ended = Promise.all(loops);
  }

  async stop() {
    this.#isOn = false;
    await this.ended;
  }

  /** The JSON of a response of 200; undefined after any other. */
  async send(path, body) {
    const { status, text } = await this.#respond(path, body);
    this.responses++;
    if (status === 200) return JSON.parse(text);
    const problem = `${path} ${status}`;
    this.problems.set(problem, (this.problems.get(problem) ?? 0) + 1);
    return undefined;
  }

  async #respond(path, body) {
    try {
      const response = await fetch(this.url + path, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          authorization: `Basic ${btoa(`api:${this.key}`)}`,
        },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(RESPONSE_WITHIN_MS),
      });
      return { status: response.status, text: await response.text() };
    } catch (error) {
      return { status: 0, text: String(error) };
    }
  }

  async #loop(turn) {
    while (this.#isOn) {
      await turn();
      await sleep(5);
    }
  }

  /** Starts, then ends, in two requests, so that two releases may have written one call. Then reads one of them. */
  async #calls() {
    const ids = Array.from({ length: CALLS_PER_BATCH }, () => randomUUID());
    const isWritten =
      (await this.send('/call/upsert_batch', { batch: ids.map(startItem) })) !== undefined &&
      (await this.send('/call/upsert_batch', { batch: ids.map(endItem) })) !== undefined;
    (isWritten ? this.calls : this.uncertain).push(...ids);
    if (isWritten) await this.send('/call/read', { project_id: PROJECT, id: ids[0] });
  }

  async #records() {
    const id = randomUUID();
    const weave_ref = `weave:///${PROJECT}/call/${id}`;
    const note = { project_id: PROJECT, id, weave_ref, feedback_type: 'note', payload: { id } };
    if (await this.send('/feedback/create', note)) this.feedback.push(id);
    const obj = { project_id: PROJECT, object_id: `o-${id}`, val: { id } };
    if (await this.send('/obj/create', { obj })) this.objects.push(obj.object_id);
  }
}

const startItem = (id) => ({
  mode: 'start',
  req: {
    start: {
      project_id: PROJECT,
      id,
      trace_id: id,
      op_name: 'summarise',
      started_at: new Date().toISOString(),
      attributes: { env: 'upgrade' },
      inputs: { id, text: 'naïve 東京 👍' },
    },
  },
});

const endItem = (id) => ({
  mode: 'end',
  req: {
    end: {
      project_id: PROJECT,
      id,
      ended_at: new Date().toISOString(),
      output: id,
      summary: { usage: { 'model-a': { requests: 1, prompt_tokens: 3, completion_tokens: 4 } } },
    },
  },
});
