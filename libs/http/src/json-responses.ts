import { Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { createParamDecorator, StreamableFile, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** An answer whose text is already JSON: payloads go out as the text they came in as. */
export class JsonResponse {
  constructor(readonly text: string) {}
}

/** How every answer becomes bytes. */
export function printResponse(answer: unknown): string {
  return answer instanceof JsonResponse ? answer.text : JSON.stringify(answer);
}

/** Loopback and data centres are fast, cores are few. */
const GZIP = { level: 1 };

/** How the answer to a request can be streamed. */
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
 * An answer of one JSON value per line, sent as fast as the client takes it. `blocks` are lines with their line ends.
 * Resolves when the first block is there: what fails until then has a status of its own; later the connection is cut.
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
