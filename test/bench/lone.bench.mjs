#!/usr/bin/env node
// `node test/bench/lone.bench.mjs [times]` shows where the time of a lone call goes, from the response to its start and to its end until
// they can be read: the server sends its spans to this process. It starts a split server in a temporary directory, on which nothing
// else happens, and takes a minute and a half.
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { callBodies, callId } from '../support/load-calls.mjs';
import { startLoadServer } from '../support/load-server.mjs';
import { MachineLoad } from '../support/machine-load.mjs';
import { positiveNumbers } from '../support/positive-numbers.mjs';
import { percentile } from '../support/proc-cpu.mjs';

const [TIMES] = positiveNumbers(
  process.argv.slice(2),
  [40],
  'node test/bench/lone.bench.mjs [times]',
);
/** Node compiles meanwhile. */
const WARM_UP = 10;
const APART_MS = 700;
/** A process sends its spans every two seconds. */
const SPANS_WITHIN_MS = 6_000;
const PROJECT = 'bench/lone';
const RUN = Date.now() % 2 ** 24;

/** The spans of each trace, by its id. */
const traces = new Map();
const collector = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    for (const span of spansOf(JSON.parse(Buffer.concat(chunks).toString())))
      traces.set(span.traceId, [...(traces.get(span.traceId) ?? []), span]);
    response.end('{}');
  });
});
await new Promise((resolve) => collector.listen(0, '127.0.0.1', resolve));
const onMachine = new MachineLoad();
const server = await startLoadServer({
  name: 'lone',
  env: { TRACING_URL: `http://127.0.0.1:${collector.address().port}/v1/traces` },
});

try {
  const samples = await measure();
  await sleep(SPANS_WITHIN_MS);
  for (const kind of ['start', 'end']) print(kind, samples[kind].map(stepsOf));
  console.log(onMachine.report());
} finally {
  await server.stop();
  collector.closeAllConnections();
  collector.close();
}

async function measure() {
  const samples = { start: [], end: [] };
  const bodies = callBodies({ project: PROJECT, run: RUN, perRequest: 1, connection: 0 });
  for (let n = 0; n < WARM_UP + TIMES; n++) {
    const startedMs = Date.now();
    const id = callId(RUN, n, startedMs);
    for (const kind of ['start', 'end']) {
      await sleep(APART_MS);
      const body = bodies[kind].patch(n, startedMs, kind === 'end' ? Date.now() : 0);
      const sample = await untilReadable(kind, id, body);
      if (n >= WARM_UP) samples[kind].push(sample);
    }
  }
  return samples;
}

async function untilReadable(kind, id, body) {
  const write = traceparent();
  const sentAt = now();
  await send(server.ingests[0].port, '/call/upsert_batch', body, write);
  const ackedAt = now();
  for (;;) {
    const read = traceparent();
    const request = JSON.stringify({ project_id: PROJECT, id });
    const { call } = await send(server.query.port, '/call/read', request, read);
    const isReadable = call !== null && (kind === 'start' || call.ended_at !== null);
    if (isReadable)
      return { sentAt, ackedAt, readableAt: now(), write: write.traceId, read: read.traceId };
  }
}

async function send(port, path, body, { header }) {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Basic ${btoa(`api:${server.key}`)}`,
      traceparent: header,
    },
    body,
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.json();
}

/** The steps between the response to the write and that to the read, which has waited for the write, in ms. */
function stepsOf({ sentAt, ackedAt, readableAt, write, read }) {
  const written = traces.get(write) ?? [];
  const chunk = spanOf(written, 'store chunk');
  const flush = spanOf(written, 'flush');
  const inserts = written.filter(({ name }) => name.startsWith('INSERT'));
  const queries = written.filter(
    ({ name, parentSpanId }) => parentSpanId === flush.spanId && !name.startsWith('INSERT'),
  );
  const statements = (traces.get(read) ?? []).filter(({ kind }) => kind === 3);
  const log = inserts.filter(({ name }) => name.includes('call_events'));
  const others = inserts.filter((one) => !log.includes(one));
  const statementsBegin = Math.min(...statements.map(({ start }) => start));
  const statementsEnd = Math.max(...statements.map(({ end }) => end));
  return {
    acknowledged: ackedAt - sentAt,
    readable: readableAt - ackedAt,
    'until the job runs': chunk.start - ackedAt,
    'until the flush begins': flush.start - chunk.start,
    'reads of the flush': sum(queries.map(took)),
    'insert into the log': spanned(log),
    'other inserts': spanned(others),
    'rest of the flush': took(flush) - sum(queries.map(took)) - spanned(log) - spanned(others),
    'until the read sees it': statementsBegin - flush.end,
    'statement of the read': statementsEnd - statementsBegin,
    'until the response': readableAt - statementsEnd,
  };
}

function print(kind, samples) {
  const slow = percentile(
    samples.map(({ readable }) => readable),
    0.75,
  );
  const slowest = samples.filter(({ readable }) => readable >= slow);
  console.log(`\n${samples.length} lone ${kind}s (ms)`);
  console.log(
    '| Step | median | slowest | mean | mean of the slowest quarter |\n| --- | ---: | ---: | ---: | ---: |',
  );
  for (const step of Object.keys(samples[0])) {
    const of = (list) => list.map((one) => one[step]);
    const all = of(samples);
    const figures = [percentile(all, 0.5), Math.max(...all), mean(all), mean(of(slowest))];
    console.log(`| ${step} | ${figures.map((ms) => ms.toFixed(1)).join(' | ')} |`);
  }
}

function spanOf(spans, name) {
  const found = spans.find((span) => span.name === name);
  if (found === undefined)
    throw new Error(`There is no span "${name}" in ${spans.map((span) => span.name).join(', ')}`);
  return found;
}

function* spansOf({ resourceSpans }) {
  for (const { scopeSpans } of resourceSpans)
    for (const { spans } of scopeSpans)
      for (const span of spans)
        yield {
          ...span,
          start: Number(span.startTimeUnixNano) / 1e6,
          end: Number(span.endTimeUnixNano) / 1e6,
        };
}

function traceparent() {
  const traceId = randomBytes(16).toString('hex');
  return { traceId, header: `00-${traceId}-${randomBytes(8).toString('hex')}-01` };
}

/** From the begin of the first to the end of the last: statements may run side by side. */
function spanned(spans) {
  if (spans.length === 0) return 0;
  return Math.max(...spans.map(({ end }) => end)) - Math.min(...spans.map(({ start }) => start));
}

function took({ start, end }) {
  return end - start;
}

function sum(list) {
  return list.reduce((total, one) => total + one, 0);
}

function mean(list) {
  return sum(list) / list.length;
}

function now() {
  return performance.timeOrigin + performance.now();
}
