import { setTimeout as sleep } from 'node:timers/promises';

const CALLS = 20;
const ATTEMPTS = 600;
const DAY_MS = 86_400_000;
const RETAINED = 'victim/retained';

/**
 * Projects whose data operators erase, and one whose calls expire. Of every second erased project the client sends
 * everything again after the erasure. Nothing erased may come back, and everything else must stay.
 */
export class Victims {
  #targets;
  #retained = { old: callIds('old'), young: callIds('young') };

  constructor({ server, count }) {
    this.server = server;
    this.#targets = Array.from({ length: count }, (_, n) => targetOf(n));
  }

  /** Resolves when everything is acknowledged. */
  async write() {
    for (const { project, calls } of this.#targets) await this.#send(project, calls);
    const settings = { project_id: RETAINED, retention_days: 1 };
    await this.#post('/project/ttl_settings/update', settings);
    await this.#send(RETAINED, this.#retained.old, Date.now() - 3 * DAY_MS);
    await this.#send(RETAINED, this.#retained.young);
  }

  /** The arguments of the commands that have not done their work yet. */
  get open() {
    return this.#targets.filter(({ isErased }) => !isErased).map(({ args }) => args);
  }

  get projects() {
    return [RETAINED, ...this.#targets.map(({ project }) => project)];
  }

  /** Call this when a command has done its work. */
  async done(args) {
    const target = this.#targets.find((one) => one.args === args);
    if (target === undefined) return;
    target.isErased = true;
    if (target.isSentAgain) await this.#send(target.project, target.calls);
  }

  /** What came back or is lost, as sentences. Call this after every erasure and an expiry. */
  async check() {
    const found = await Promise.all(this.#targets.map((target) => this.#checkErased(target)));
    return [...found.flat(), ...(await this.#checkRetained())];
  }

  async #checkErased({ project, calls, isErased, isErasedCall, isSentAgain }) {
    if (!isErased) return [`${project} was not erased`];
    const erased = calls.filter(({ trace }) => isErasedCall(trace)).map(({ id }) => id);
    const kept = calls.filter(({ trace }) => !isErasedCall(trace)).map(({ id }) => id);
    const found = await this.#difference(project, erased, kept);
    const facts = isSentAgain ? 0 : await this.#count('call_events', project, erased);
    return facts === 0 ? found : [...found, `${facts} erased facts of ${project} are in the log`];
  }

  async #checkRetained() {
    const [old, young] = ['old', 'young'].map((age) => this.#retained[age].map(({ id }) => id));
    const facts = await this.#count('call_events', RETAINED, old);
    const found = await this.#difference(RETAINED, old, young);
    return facts === 0 ? found : [...found, `${facts} expired facts are in the log`];
  }

  /** Erased calls that are visible or counted, and other calls that are not. */
  async #difference(project, gone, kept) {
    const rows = await this.server.sql(
      `SELECT id FROM calls FINAL WHERE project_id = '${project}'`,
    );
    const visible = new Set(rows.map(([id]) => id));
    const back = gone.filter((id) => visible.has(id));
    const lost = kept.filter((id) => !visible.has(id));
    const usage = await this.#count('root_usage FINAL', project, gone);
    return [
      back.length > 0 && `${back.length} erased calls of ${project} came back (${back[0]})`,
      lost.length > 0 && `${lost.length} other calls of ${project} are lost (${lost[0]})`,
      usage > 0 && `${usage} usages of erased calls of ${project} came back`,
    ].filter(Boolean);
  }

  async #count(table, project, ids) {
    const [id, others] = table === 'call_events' ? ['call_id', "AND kind != 'delete'"] : ['id', ''];
    const list = ids.map((one) => `'${one}'`).join();
    const [[count]] = await this.server.sql(
      `SELECT count() FROM ${table} WHERE project_id = '${project}' AND ${id} IN (${list}) ${others}`,
    );
    return Number(count);
  }

  #send(project, calls, startedAt = Date.now()) {
    const batch = calls.flatMap(({ id, trace }) => itemsOf(project, id, trace, startedAt));
    return this.#post('/call/upsert_batch', { batch });
  }

  /** Sends a request until it is acknowledged. */
  async #post(path, body) {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const { port } = this.server.ingests[attempt % this.server.ingests.length];
      const response = await fetch(`http://127.0.0.1:${port}${path}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          authorization: `Basic ${btoa(`api:${this.server.key}`)}`,
        },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(20_000),
      }).catch(() => undefined);
      if (response?.ok) return;
      await sleep(200);
    }
    throw new Error(`${path} was not acknowledged in ${ATTEMPTS} attempts.`);
  }
}

/** One in three targets is one of two traces of its project; the others are whole projects. */
function targetOf(n) {
  const project = `victim/erased-${n}`;
  const isTrace = n % 3 === 1;
  const traces = [`trace-${n}-a`, `trace-${n}-b`];
  const of = isTrace ? ['--project', project, '--trace', traces[0]] : ['--project', project];
  return {
    project,
    calls: callIds(`call-${n}`).map(({ id }, i) => ({ id, trace: traces[i % 2] })),
    args: ['erase', ...of, '--yes'],
    isErasedCall: (trace) => !isTrace || trace === traces[0],
    isSentAgain: n % 2 === 1,
    isErased: false,
  };
}

function callIds(prefix) {
  return Array.from({ length: CALLS }, (_, i) => ({ id: `${prefix}-${i}`, trace: prefix }));
}

function itemsOf(project_id, id, trace_id, startedAt) {
  const at = (ms) => new Date(startedAt + ms).toISOString();
  const summary = { usage: { 'a-model': { requests: 1, prompt_tokens: 3, completion_tokens: 4 } } };
  const start = {
    ...{ project_id, id, trace_id, op_name: 'victim', started_at: at(0) },
    ...{ attributes: {}, inputs: { text: `secret of ${id}` } },
  };
  const end = { project_id, id, ended_at: at(1000), summary, output: `secret of ${id}` };
  return [
    { mode: 'start', req: { start } },
    { mode: 'end', req: { end } },
  ];
}
