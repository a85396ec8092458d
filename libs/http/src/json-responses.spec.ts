import { randomBytes } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { JsonResponse, jsonLines, printResponse } from './json-responses.js';

/** Random, so that compression hardly shrinks it. */
const aLine = () => `${JSON.stringify({ text: randomBytes(10_000).toString('base64') })}\n`;

/** Endless lines, the number of lines read, and whether the reader closed the generator. */
function endless() {
  const source = { read: 0, closed: false };
  async function* lines(): AsyncGenerator<string, void> {
    try {
      for (;;) {
        source.read++;
        await turn();
        yield aLine();
      }
    } finally {
      source.closed = true;
    }
  }
  return { source, lines: lines() };
}

/** Turns of the event loop; each is enough for one line. */
const TURNS = 2000;

describe('a response in lines', () => {
  it('rejects when it fails before the first line', async () => {
    async function* failing(): AsyncGenerator<string, void> {
      await turn();
      yield* [];
      throw new Error('the store is unavailable');
    }

    await expect(jsonLines(failing())).rejects.toThrow('the store is unavailable');
  });

  it('breaks the stream when it fails later', async () => {
    async function* failing(): AsyncGenerator<string, void> {
      yield aLine();
      await turn();
      throw new Error('the store went down');
    }
    const file = await jsonLines(failing());
    const read = async () => {
      for await (const _ of file.getStream()) continue;
    };

    await expect(read()).rejects.toThrow('the store went down');
  });

  it('reads no more lines than the client', async () => {
    const { source, lines } = endless();
    const stream = (await jsonLines(lines)).getStream();
    stream.once('readable', () => undefined);
    for (let i = 0; i < TURNS; i++) await turn();

    expect(source.read).toBeLessThan(TURNS / 20);

    stream.destroy();
    while (!source.closed) await turn();
  });
});

describe('a response', () => {
  it('is printed as JSON', () => {
    expect(printResponse({ count: 1 })).toBe('{"count":1}');
  });

  it('stays as it is when it is JSON text already', () => {
    expect(printResponse(new JsonResponse('{"one":1.0}'))).toBe('{"one":1.0}');
  });
});
