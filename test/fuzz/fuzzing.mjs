import { readFileSync } from 'node:fs';
import { Random } from './random.mjs';
import { operationsOf, requestTo } from './requests.mjs';

const HANG_MS = 10_000;
const MiB = 1024 * 1024;
/** A process that has warmed up may still grow by as much between one quarter of a run and the next. */
const FLAT_GROWTH = 0.1;

export const interfaceDocument = () =>
  JSON.parse(readFileSync(new URL('../../docs/reference/openapi.json', import.meta.url), 'utf8'));

/**
 * Sends so many requests and tells what came of them. A failure is an answer of 500 or more, no answer within ten
 * seconds, or a broken connection; each can be repeated by its seed and number.
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
    const began = performance.now();
    // Most do not wait for what others have just written, or waiting would be all they do.
    if (number % 5 > 0) request.headers['x-heddle-consistency'] = 'eventual';
    const outcome = await send(url, key, request);
    const ms = performance.now() - began;
    result.slowestMs = Math.max(result.slowestMs, ms);
    result.statuses[outcome.status] = (result.statuses[outcome.status] ?? 0) + 1;
    if (outcome.status === 0 || outcome.status >= 500)
      result.failures.push({
        number,
        ...outcome,
        operation: `${request.method} ${request.url}`,
        body: String(request.body),
      });
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
    const text = await response.text();
    return { status: response.status, text: text.slice(0, 500) };
  } catch (error) {
    return { status: 0, text: String(error.cause ?? error) };
  }
}

async function residentBytes(url) {
  const page = await (await fetch(`${url}/metrics`)).text();
  return Number(/^process_resident_memory_bytes (\d+)/m.exec(page)?.[1] ?? 0);
}

/**
 * Whether resident memory had stopped growing: the third quarter of the run against the last. The first half warms up:
 * code is compiled, buffers and maps find their size.
 */
export function growthOf(rss) {
  const quarter = Math.floor(rss.length / 4);
  const third = median(rss.slice(2 * quarter, 3 * quarter));
  const last = median(rss.slice(-quarter));
  return { third, last, isFlat: last <= third * (1 + FLAT_GROWTH) };
}

const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;

export const inMiB = (bytes) => Math.round(bytes / MiB);

/** For people. */
export function report({ statuses, failures, rss, slowestMs, operations }) {
  const lines = Object.entries(statuses).map(([status, count]) => `  ${status}  ${count}`);
  const megabytes = rss.map(inMiB);
  const { third, last, isFlat } = growthOf(rss);
  return [
    `operations ${operations}, slowest response ${Math.round(slowestMs)} ms`,
    `resident memory (MiB): first ${megabytes[0]}, last ${megabytes.at(-1)}, most ${Math.max(...megabytes)}`,
    `resident memory ${isFlat ? 'was flat' : 'GREW'} in the second half: median of the third quarter ${inMiB(third)} MiB, of the last ${inMiB(last)} MiB`,
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
