import { Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { createParamDecorator, StreamableFile, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** A response whose text is already JSON, so that payloads keep their exact text. */
export class JsonResponse {
  constructor(readonly text: string) {}
}

/** Serializes every response. */
export function printResponse(response: unknown): string {
  return response instanceof JsonResponse ? response.text : JSON.stringify(response);
}

/** The fastest level: networks of data centres are fast, and cores are scarce. */
const GZIP = { level: 1 };

/** What a streamed response needs from the request and the reply. */
export interface LineReply {
  readonly acceptsGzip: boolean;
  readonly header: (name: string, value: string) => void;
}

export const AsLines = createParamDecorator((_: unknown, context: ExecutionContext): LineReply => {
  const http = context.switchToHttp();
  const accepted = http.getRequest<FastifyRequest>().headers['accept-encoding'] ?? '';
  return {
    acceptsGzip: /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:,|$))/.test(String(accepted)),
    header: (name, value) => void http.getResponse<FastifyReply>().header(name, value),
  };
});

/**
 * Streams a response with one JSON value per line, as fast as the client reads it. `blocks` are lines with line ends.
 * Resolves with the first block. An error before it has a status of its own; a later error closes the connection.
 */
export async function jsonLines(
  blocks: AsyncGenerator<string, void>,
  { acceptsGzip, header }: LineReply,
): Promise<StreamableFile> {
  const first = await blocks.next();
  const text = Readable.from(resumed(first, blocks), { objectMode: false, highWaterMark: 1 << 16 });
  const type = 'application/jsonl';
  if (!acceptsGzip) return new StreamableFile(text, { type });
  header('content-encoding', 'gzip');
  const gzip = createGzip(GZIP);
  text.once('error', (error) => gzip.destroy(error));
  gzip.once('close', () => text.destroy());
  return new StreamableFile(text.pipe(gzip), { type });
}

async function* resumed(
  first: IteratorResult<string, void>,
  rest: AsyncGenerator<string, void>,
): AsyncGenerator<string, void> {
  try {
    if (!first.done) yield first.value;
    yield* rest;
  } finally {
    await rest.return();
  }
}
