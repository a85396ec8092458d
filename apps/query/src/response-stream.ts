import { Readable } from 'node:stream';
import type { ReadContext } from './read-context.js';

const CHUNK_CHARACTERS = 64 * 1024;

/** A part of a response: text, or the bytes of a value that is too large to be copied. */
export type Piece = string | Buffer;

/**
 * Pieces as one stream, in chunks. Resolves once the first piece is there, so that a query which ClickHouse refuses still
 * gets an error status.
 */
export async function streamed(pieces: AsyncGenerator<Piece>): Promise<Readable> {
  const first = await pieces.next();
  return Readable.from(gathered(first, pieces), { objectMode: false });
}

async function* gathered(
  first: IteratorResult<Piece>,
  rest: AsyncGenerator<Piece>,
): AsyncGenerator<Buffer> {
  const chunk = new Chunk();
  if (!first.done) yield* chunk.add(first.value);
  for await (const piece of rest) yield* chunk.add(piece);
  yield* chunk.flush();
}

/** Collects short texts into longer ones. Bytes are passed on as they are. */
class Chunk {
  private text = '';

  *add(piece: Piece): Generator<Buffer> {
    if (typeof piece !== 'string') {
      yield* this.flush();
      yield piece;
      return;
    }
    this.text += piece;
    if (this.text.length >= CHUNK_CHARACTERS) yield* this.flush();
  }

  *flush(): Generator<Buffer> {
    if (this.text !== '') yield Buffer.from(this.text);
    this.text = '';
  }
}

/** Texts with a separator in between, never joined into one text: together they may be too large for a string. */
export function* joined(
  texts: readonly (string | Iterable<Buffer>)[],
  separator: string,
): Generator<Piece> {
  let chunk = '';
  for (const [i, text] of texts.entries()) {
    if (i > 0) chunk += separator;
    if (typeof text === 'string') chunk += text;
    else {
      if (chunk !== '') yield chunk;
      yield* text;
      chunk = '';
    }
    if (chunk.length < CHUNK_CHARACTERS) continue;
    yield chunk;
    chunk = '';
  }
  if (chunk !== '') yield chunk;
}

/** `{"name":[…]}` from the texts of its elements. */
export async function* jsonList(
  name: string,
  elements: AsyncGenerator<string>,
): AsyncGenerator<string> {
  const first = await elements.next();
  yield `{${JSON.stringify(name)}:[${first.done ? '' : first.value}`;
  for await (const element of elements) yield `,${element}`;
  yield ']}';
}

/** One text per line. */
export async function* jsonLines(elements: AsyncGenerator<string>): AsyncGenerator<string> {
  for await (const element of elements) yield `${element}\n`;
}

/** Bytes as one stream. Resolves once the first piece is there, for the same reason. */
export async function streamedBytes(pieces: AsyncGenerator<Buffer>): Promise<Readable> {
  const first = await pieces.next();
  return Readable.from(resumed(first, pieces), { objectMode: false });
}

async function* resumed(
  first: IteratorResult<Buffer>,
  rest: AsyncGenerator<Buffer>,
): AsyncGenerator<Buffer> {
  try {
    if (!first.done) yield first.value;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}

type Explainable = Pick<ReadContext, 'explanations'>;

/** A JSON object in pieces, with `explain` as its last member when the client requested it. */
export async function* explainedObject(
  pieces: AsyncGenerator<Piece>,
  { explanations }: Explainable,
): AsyncGenerator<Piece, void> {
  let last: Piece = '';
  for await (const piece of pieces) {
    yield last;
    last = piece;
  }
  yield explanations
    ? `${String(last).slice(0, -1)},"explain":${JSON.stringify(explanations)}}`
    : last;
}

/** Lines that end in a line break, followed by one with `explain` when the client requested it. */
export async function* explainedLines(
  lines: AsyncGenerator<Piece>,
  { explanations }: Explainable,
): AsyncGenerator<Piece, void> {
  for await (const line of lines) yield line;
  if (explanations) yield `${JSON.stringify({ explain: explanations })}\n`;
}
