import { randomBytes } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { JsonResponse, jsonLines, printResponse } from './json-responses.js';

/** Becomes hardly smaller when it is packed. */
const aLine = () => `${JSON.stringify({ text: randomBytes(10_000).toString('base64') })}\n`;

/** Lines without end, and how many of them were taken; `closed` when nobody wants more. */
function endless() {
  const source = { taken: 0, closed: false };
  async function* lines(): AsyncGenerator<string, void> {
    try {
      for (;;) {
        source.taken++;
        await turn();
        yield aLine();
      }
    } finally {
      source.closed = true;
    }
  }
  return { source, lines: lines() };
}

const reply = (acceptsGzip: boolean) => ({ acceptsGzip, header: () => undefined });

/** Each would be enough for a line. */
const TURNS = 2000;

describe('an answer in lines', () => {
  it('that fails before its first line is a failure, not a broken stream', async () => {
    async function* failing(): AsyncGenerator<string, void> {
      await turn();
      yield* [];
      throw new Error('the store is away');
    }

    await expect(jsonLines(failing(), reply(false))).rejects.toThrow('the store is away');
  });

  it('that fails later breaks the stream', async () => {
    async function* failing(): AsyncGenerator<string, void> {
      yield aLine();
      await turn();
      throw new Error('the store went away');
    }
    const file = await jsonLines(failing(), reply(false));
    const read = async () => {
      for await (const _ of file.getStream()) continue;
    };

    await expect(read()).rejects.toThrow('the store went away');
  });

  it.each([
    ['plain', false],
    ['packed', true],
  ])('takes no more than the client reads (%s)', async (_, isPacked) => {
    const { source, lines } = endless();
    const stream = (await jsonLines(lines, reply(isPacked))).getStream();
    stream.once('readable', () => undefined);
    for (let i = 0; i < TURNS; i++) await turn();

    expect(source.taken).toBeLessThan(TURNS / 20);

    stream.destroy();
    while (!source.closed) await turn();
  });
});

describe('an answer', () => {
  it('is printed as JSON', () => {
    expect(printResponse({ count: 1 })).toBe('{"count":1}');
  });

  it('is left as it stands when it is JSON text already', () => {
    expect(printResponse(new JsonResponse('{"one":1.0}'))).toBe('{"one":1.0}');
  });
});
