import { Readable } from 'node:stream';
import type { ReadContext } from './read-context.js';

const CHUNK_CHARACTERS = 64 * 1024;

/**
 * Texts as one stream, in chunks. Resolves once the first text is there, so that a query which ClickHouse refuses still
 * gets an error status.
 */
export async function streamed(texts: AsyncGenerator<string>): Promise<Readable> {
  const first = await texts.next();
  return Readable.from(gathered(first, texts), { objectMode: false });
}

async function* gathered(
  first: IteratorResult<string>,
  rest: AsyncGenerator<string>,
): AsyncGenerator<Buffer> {
  let chunk = first.done ? '' : first.value;
  for await (const text of rest) {
    if (chunk.length >= CHUNK_CHARACTERS) {
      yield Buffer.from(chunk);
      chunk = '';
    }
    chunk += text;
  }
  if (chunk !== '') yield Buffer.from(chunk);
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
  texts: AsyncGenerator<string>,
  { explanations }: Explainable,
): AsyncGenerator<string, void> {
  let last = '';
  for await (const text of texts) {
    yield last;
    last = text;
  }
  yield explanations ? `${last.slice(0, -1)},"explain":${JSON.stringify(explanations)}}` : last;
}

/** Lines that end in a line break, followed by one with `explain` when the client requested it. */
export async function* explainedLines(
  lines: AsyncGenerator<string>,
  { explanations }: Explainable,
): AsyncGenerator<string, void> {
  for await (const line of lines) yield line;
  if (explanations) yield `${JSON.stringify({ explain: explanations })}\n`;
}
