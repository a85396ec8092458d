// Generates load in its own process, so that its CPU time is not measured with the server's. The parent sends a plan.
// The process sends back its measurements once everything it wrote is visible, and waits for the next plan. It exits
// when its parent does.
import { setTimeout as sleep } from 'node:timers/promises';
import { callBodies, callId } from './load-calls.mjs';
import { Connection, requestHead } from './load-connection.mjs';
import { percentile } from './proc-cpu.mjs';

const RETRY_AFTER_MS = 200;
const VISIBLE_WITHIN_MS = 300_000;

process.on('disconnect', () => process.exit(0));
process.on('message', (plan) => {
  new Load(plan).run().then(
    (result) => process.send({ result }),
    (error) => process.send({ problem: error.stack }),
  );
});
process.send('ready');

class Load {
  #next = 0;
  #acknowledged = 0;
  #refused = {};
  #ackMs = [];
  #visibleMs = { start: [], end: [] };
  #throughMs = { start: [], end: [] };
  #sampleDue = { start: 0, end: 0 };
  #sampling = new Set();

  /**
   * `ports`, `key`, `project`, `run`, `perRequest`, `connections`; `complete` sends calls in one piece; `seconds` and `calls` (the load stops at whichever
   * comes first); `apartMs` between the response to a start and the end of that call; `callsPerSecond` (0: no limit);
   * `samplesPerSecond`; `drain`: 'own writes' through query, a URL that returns how many are pending, or ''.
   */
  constructor(plan) {
    this.plan = plan;
    const path = plan.complete ? `/v2/${plan.project}/calls/complete` : '/call/upsert_batch';
    this.head = requestHead(path, plan.key);
  }

  async run() {
    const { connections, project, run, perRequest } = this.plan;
    const clients = Array.from({ length: connections }, (_, connection) =>
      callBodies({ project, run, perRequest, connection }),
    );
    this.begun = performance.now();
    await Promise.all(clients.map((bodies) => this.#client(bodies)));
    const sentMs = performance.now() - this.begun;
    await Promise.all(this.#sampling);
    await this.#drained();
    const totalMs = performance.now() - this.begun;
    return {
      calls: this.#acknowledged,
      refused: this.#refused,
      sentSeconds: sentMs / 1000,
      seconds: totalMs / 1000,
      ackMs: spread(this.#ackMs),
      // from the response, and from the request, until the call can be read
      visibleMs: { start: spread(this.#visibleMs.start), end: spread(this.#visibleMs.end) },
      throughMs: { start: spread(this.#throughMs.start), end: spread(this.#throughMs.end) },
    };
  }

  /** Sends starts and ends in turn over one connection. An end is sent `apartMs` after its start or later. */
  async #client(bodies) {
    const { perRequest, apartMs, ports } = this.plan;
    const connection = new Connection(ports.ingest);
    const open = [];
    for (;;) {
      const now = performance.now();
      if (open.length > 0 && open[0].due <= now) {
        const { first, startedMs } = open.shift();
        const body = bodies.end.patch(first, startedMs, Date.now());
        await this.#send(connection, 'end', body, { first, startedMs });
        this.#acknowledged += perRequest;
      } else if (this.#hasMore()) {
        const first = this.#next;
        this.#next += perRequest;
        await this.#due(first);
        const startedMs = Date.now();
        if (this.plan.complete) {
          const body = bodies.complete.patch(first, startedMs, startedMs);
          await this.#send(connection, 'end', body, { first, startedMs });
          this.#acknowledged += perRequest;
          continue;
        }
        const body = bodies.start.patch(first, startedMs, 0);
        await this.#send(connection, 'start', body, { first, startedMs });
        open.push({ first, startedMs, due: performance.now() + apartMs });
      } else if (open.length > 0) await sleep(open[0].due - now);
      else break;
    }
    connection.close();
  }

  #hasMore() {
    const { seconds, calls } = this.plan;
    return this.#next < calls && performance.now() - this.begun < seconds * 1000;
  }

  /** Resolves when the rate of the plan allows the next batch. */
  async #due(first) {
    const { callsPerSecond } = this.plan;
    if (callsPerSecond === 0) return;
    const wait = this.begun + (first / callsPerSecond) * 1000 - performance.now();
    if (wait > 0) await sleep(wait);
  }

  async #send(connection, kind, body, sent) {
    for (;;) {
      const sentAt = performance.now();
      const { status, body: response } = await connection.send(this.head, body);
      if (status === 200) {
        const now = performance.now();
        this.#ackMs.push(now - sentAt);
        this.#sample(kind, { ...sent, sentAt }, now);
        return;
      }
      this.#refused[status] = (this.#refused[status] ?? 0) + 1;
      if (status !== 429 && status !== 503) throw new Error(`${status}: ${response}`);
      await sleep(RETRY_AFTER_MS);
    }
  }

  #sample(kind, sent, ackedAt) {
    const { samplesPerSecond } = this.plan;
    if (samplesPerSecond === 0 || ackedAt < this.#sampleDue[kind]) return;
    this.#sampleDue[kind] = ackedAt + 1000 / samplesPerSecond;
    const sampling = this.#untilVisible(kind, sent, ackedAt).finally(() =>
      this.#sampling.delete(sampling),
    );
    this.#sampling.add(sampling);
  }

  /** Reads until the call is visible. A read waits for its caller's writes, so one read is enough unless it times out. */
  async #untilVisible(kind, sent, ackedAt) {
    const isVisible = (call) => call !== null && (kind === 'start' || call.ended_at !== null);
    while (!isVisible((await this.#read(sent)).call)) {
      if (performance.now() - ackedAt > VISIBLE_WITHIN_MS)
        throw new Error(`${sent.first} is invisible`);
    }
    const now = performance.now();
    this.#visibleMs[kind].push(now - ackedAt);
    this.#throughMs[kind].push(now - sent.sentAt);
  }

  /** Reads one call: `{ call, pending }`. As any read, it waits for its caller's writes. */
  async #read({ first, startedMs }) {
    const { project, run, ports, key } = this.plan;
    const response = await fetch(`http://127.0.0.1:${ports.query}/call/read`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Basic ${btoa(`api:${key}`)}`,
      },
      body: JSON.stringify({ project_id: project, id: callId(run, first, startedMs) }),
    });
    if (!response.ok) throw new Error(`call/read: ${response.status} ${await response.text()}`);
    const { call } = await response.json();
    return { call, pending: Number(response.headers.get('x-heddle-pending') ?? 0) };
  }

  async #drained() {
    const { drain } = this.plan;
    const deadline = performance.now() + VISIBLE_WITHIN_MS;
    while (drain !== '' && (await this.#pending(drain)) > 0) {
      if (performance.now() > deadline) throw new Error('Not everything became visible in time.');
    }
  }

  async #pending(drain) {
    if (drain === 'own writes')
      return (await this.#read({ first: 0, startedMs: Date.now() })).pending;
    const pending = Number(await (await fetch(drain)).text());
    if (pending > 0) await sleep(20);
    return pending;
  }
}

const spread = (values) =>
  values.length === 0
    ? null
    : {
        p50: percentile(values, 0.5),
        p99: percentile(values, 0.99),
        max: percentile(values, 1),
        count: values.length,
      };
