import { Readable } from 'node:stream';
import { StreamableFile } from '@nestjs/common';

/** A response whose text is already JSON, so that payloads keep their exact text. */
export class JsonResponse {
  constructor(readonly text: string) {}
}

/** Serializes every response. */
export function printResponse(response: unknown): string {
  return response instanceof JsonResponse ? response.text : JSON.stringify(response);
}

/**
 * Streams a response with one JSON value per line, as fast as the client reads it. `blocks` are lines with line ends.
 * Resolves with the first block. An error before it has a status of its own; a later error closes the connection.
 */
export async function jsonLines(
  blocks: AsyncGenerator<string | Buffer, void>,
): Promise<StreamableFile> {
  const first = await blocks.next();
  const text = Readable.from(resumed(first, blocks), { objectMode: false, highWaterMark: 1 << 16 });
  return new StreamableFile(text, { type: 'application/jsonl' });
}

async function* resumed(
  first: IteratorResult<string | Buffer, void>,
  rest: AsyncGenerator<string | Buffer, void>,
): AsyncGenerator<string | Buffer, void> {
  try {
    if (!first.done) yield first.value;
    yield* rest;
  } finally {
    await rest.return();
  }
}
