import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from './random.mjs';
import { operationsOf, requestTo } from './requests.mjs';

/** Longer than a read waits for its turn. */
const HANG_MS = 60_000;
/** A server that is busy says with 503 when to try again. A request that causes this itself gets it each time. */
const ATTEMPTS = 3;
const MAX_RETRY_SECONDS = 10;
const MiB = 1024 * 1024;
/** The share by which the memory of a warm process may grow between one quarter of a run and the next. */
const FLAT_GROWTH = 0.1;
/** Fewer samples of memory say nothing about its growth. */
const MIN_SAMPLES = 8;

export const interfaceDocument = () =>
  JSON.parse(readFileSync(new URL('../../docs/reference/openapi.json', import.meta.url), 'utf8'));

/**
 * Sends generated requests and collects the responses. A failure is a status of 500 or more, no response within a
 * minute, or a broken connection. A 503 with Retry-After is a failure only if the request gets it again and again. The
 * seed and the number of a request reproduce it.
 */
export async function fuzz({
  url,
  key,
  requests,
  seed,
  clients = 8,
  onProgress = () => undefined,
}) {
  const document = interfaceDocument();
  const operations = operationsOf(document);
  const result = {
    statuses: {},
    failures: [],
    rss: [],
    slowestMs: 0,
    repeated: 0,
    operations: operations.length,
  };
  let sent = 0;
  const client = async () => {
    while (sent < requests) {
      const number = sent++;
      await one(number);
      if (number % 1000 === 999) {
        result.rss.push(await residentBytes(url));
        onProgress(number + 1, result);
      }
    }
  };
  const one = async (number) => {
    const random = new Random(seed * 1_000_003 + number);
    const operation = random.of(operations);
    const request = requestTo(operation, random, document);
    // Most reads do not wait for pending writes; otherwise waiting would take most of the time.
    if (number % 5 > 0) request.headers['x-heddle-consistency'] = 'eventual';
    const outcome = await sendPatiently(request);
    result.statuses[outcome.status] = (result.statuses[outcome.status] ?? 0) + 1;
    if (outcome.status === 0 || outcome.status >= 500)
      result.failures.push({
        number,
        ...outcome,
        operation: `${request.method} ${request.url}`,
        body: String(request.body),
      });
  };
  const sendPatiently = async (request) => {
    for (let attempt = 1; ; attempt++) {
      const began = performance.now();
      const outcome = await send(url, key, request);
      result.slowestMs = Math.max(result.slowestMs, performance.now() - began);
      if (outcome.retryAfter === undefined || attempt === ATTEMPTS) return outcome;
      result.repeated++;
      await sleep(outcome.retryAfter * 1000);
    }
  };
  result.rss.push(await residentBytes(url));
  await Promise.all(Array.from({ length: clients }, client));
  result.rss.push(await residentBytes(url));
  return result;
}

async function send(url, key, { method, url: path, headers, body }) {
  try {
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${key}`, ...headers },
      signal: AbortSignal.timeout(HANG_MS),
      ...(body === undefined ? {} : { body }),
    });
    const text = isEndless(response) ? await firstPiece(response) : await response.text();
    return {
      status: response.status,
      text: text.slice(0, 500),
      retryAfter: retryAfterOf(response),
    };
  } catch (error) {
    return { status: 0, text: String(error.cause ?? error) };
  }
}

/** In seconds; undefined unless the request may succeed soon. */
function retryAfterOf({ status, headers }) {
  const seconds = Number.parseInt(headers.get('retry-after') ?? '', 10);
  return status === 503 && seconds >= 0 && seconds <= MAX_RETRY_SECONDS ? seconds : undefined;
}

/** A stream of events ends when the client leaves. */
function isEndless(response) {
  return response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
}

async function firstPiece({ body }) {
  const reader = body.getReader();
  const { value } = await reader.read();
  await reader.cancel();
  return new TextDecoder().decode(value);
}

async function residentBytes(url) {
  const page = await (await fetch(`${url}/metrics`)).text();
  return Number(/^process_resident_memory_bytes (\d+)/m.exec(page)?.[1] ?? 0);
}

/**
 * Whether resident memory has stopped growing: compares the third quarter of the run with the last one. The first half is
 * the warm-up, in which code is compiled and caches fill.
 */
function growthOf(rss) {
  const quarter = Math.floor(rss.length / 4);
  const third = median(rss.slice(2 * quarter, 3 * quarter));
  const last = median(rss.slice(-quarter));
  return { third, last, isFlat: last <= third * (1 + FLAT_GROWTH) };
}

const isLong = (rss) => rss.length >= MIN_SAMPLES;

/** Whether a long run ended with more memory than a flat one has. */
export const hasGrown = (rss) => isLong(rss) && !growthOf(rss).isFlat;

const growthText = ({ third, last, isFlat }) =>
  `resident memory ${isFlat ? 'was flat' : 'GREW'} in the second half: median of the third quarter ${inMiB(third)} MiB, of the last ${inMiB(last)} MiB`;

const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;

export const inMiB = (bytes) => Math.round(bytes / MiB);

/** The result as text. */
export function report({ statuses, failures, rss, slowestMs, repeated, operations }) {
  const lines = Object.entries(statuses).map(([status, count]) => `  ${status}  ${count}`);
  const megabytes = rss.map(inMiB);
  return [
    `operations ${operations}, slowest response ${Math.round(slowestMs)} ms, repeated after 503: ${repeated}`,
    `resident memory (MiB): first ${megabytes[0]}, last ${megabytes.at(-1)}, most ${Math.max(...megabytes)}`,
    ...(isLong(rss) ? [growthText(growthOf(rss))] : []),
    'responses by status:',
    ...lines,
    `failures: ${failures.length}`,
    ...failures
      .slice(0, 20)
      .map(
        (one) =>
          `  #${one.number} ${one.status} ${one.operation}\n    ${one.body.slice(0, 400)}\n    ${one.text}`,
      ),
  ].join('\n');
}
