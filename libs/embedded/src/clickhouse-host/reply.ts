import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip, gzipSync } from 'node:zlib';
import { asEngineError, httpStatus } from './engine-errors.js';

/** Loopback is fast and cores are few: the cheapest level. */
const GZIP = { level: 1 };
const NAME = 'heddle-embedded';

export interface Summary {
  readonly readRows?: number;
  readonly readBytes?: number;
  readonly writtenRows?: number;
  readonly writtenBytes?: number;
  readonly elapsedSeconds?: number;
}

export interface ReplyForm {
  readonly queryId: string;
  readonly format: string;
  readonly gzip: boolean;
}

export async function sendBytes(
  response: ServerResponse,
  form: ReplyForm,
  bytes: Uint8Array,
  summary: Summary,
): Promise<void> {
  const body = form.gzip ? gzipSync(bytes, GZIP) : bytes;
  response.writeHead(200, {
    ...headers(form),
    'Content-Length': String(body.byteLength),
    'X-ClickHouse-Summary': summaryHeader(summary),
  });
  response.end(body);
}

/**
 * Two blocks are awaited before the status is sent: early errors still get their own, and a small result
 * goes out at once, without the machinery of a stream. A later failure breaks the connection: a result is
 * never cut short in silence.
 */
export async function sendBlocks(
  response: ServerResponse,
  form: ReplyForm,
  blocks: AsyncGenerator<Uint8Array, void>,
): Promise<void> {
  const first = (await blocks.next()).value ?? new Uint8Array();
  const second = await blocks.next();
  if (second.done) return sendBytes(response, form, first, {});
  response.writeHead(200, headers(form));
  const all = Readable.from(joined([first, second.value], blocks), { highWaterMark: 1 });
  await (form.gzip ? pipeline(all, createGzip(GZIP), response) : pipeline(all, response));
}

async function* joined(
  first: readonly Uint8Array[],
  rest: AsyncGenerator<Uint8Array, void>,
): AsyncGenerator<Uint8Array, void> {
  yield* first;
  yield* rest;
}

export function sendError(response: ServerResponse, thrown: unknown): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const error = asEngineError(thrown);
  response.writeHead(httpStatus(error.serverCode), {
    ...plainHeaders(),
    'X-ClickHouse-Exception-Code': String(error.serverCode),
  });
  response.end(`${error.message}\n`);
}

export function plainHeaders(): Record<string, string> {
  return {
    'Content-Type': 'text/plain; charset=UTF-8',
    'X-ClickHouse-Server-Display-Name': NAME,
    'X-ClickHouse-Timezone': 'UTC',
  };
}

function headers({ queryId, format, gzip }: ReplyForm): Record<string, string> {
  return {
    ...plainHeaders(),
    'X-ClickHouse-Query-Id': queryId,
    'X-ClickHouse-Format': format,
    ...(gzip && { 'Content-Encoding': 'gzip' }),
  };
}

function summaryHeader(summary: Summary): string {
  return JSON.stringify({
    read_rows: String(summary.readRows ?? 0),
    read_bytes: String(summary.readBytes ?? 0),
    written_rows: String(summary.writtenRows ?? 0),
    written_bytes: String(summary.writtenBytes ?? 0),
    total_rows_to_read: '0',
    result_rows: String(summary.writtenRows ?? 0),
    result_bytes: '0',
    elapsed_ns: String(Math.round((summary.elapsedSeconds ?? 0) * 1e9)),
  });
}
