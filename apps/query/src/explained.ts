import type { ReadContext } from './read-context.js';

type Explainable = Pick<ReadContext, 'explanations'>;

/** A JSON object in pieces, and as its last member what it took, when the caller wants to know. */
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

/** Lines with their line ends, and one more with what they took, when the caller wants to know. */
export async function* explainedLines(
  lines: AsyncGenerator<string>,
  { explanations }: Explainable,
): AsyncGenerator<string, void> {
  for await (const line of lines) yield line;
  if (explanations) yield `${JSON.stringify({ explain: explanations })}\n`;
}
