import { jest } from '@jest/globals';
import { asText, type Table } from './columns.js';
import { RowEncoder } from './row-encoder.js';

const TABLE: Table<{ text: string }> = { name: 'texts', columns: { text: asText } };

const longest = (pieces: readonly Buffer[]) =>
  pieces.reduce((one, other) => (other.length > one.length ? other : one));

describe('the encoder of rows', () => {
  beforeEach(() => void jest.useFakeTimers({ doNotFake: ['setImmediate'] }));
  afterEach(() => void jest.useRealTimers());

  const LARGE = 100_000;
  const SMALL = 10;

  async function bufferOf(encoder: RowEncoder, length = LARGE): Promise<ArrayBufferLike> {
    let used: ArrayBufferLike | undefined;
    const rows = [{ text: 'a'.repeat(length) }];
    await encoder.encode(TABLE, rows, async (pieces) => void (used = longest(pieces).buffer));
    return used!;
  }

  it('reuses a buffer while inserts need its size', async () => {
    const encoder = new RowEncoder();
    const first = await bufferOf(encoder);
    for (let ms = 0; ms < 10_000; ms += 1000) {
      jest.advanceTimersByTime(1000);
      expect(await bufferOf(encoder)).toBe(first);
    }
  });

  it('gives up its buffers after two seconds without an insert', async () => {
    const encoder = new RowEncoder();
    const first = await bufferOf(encoder);
    jest.advanceTimersByTime(2000);
    expect(await bufferOf(encoder)).not.toBe(first);
  });

  it('gives up large buffers after two seconds of small inserts, also those that no insert used', async () => {
    const encoder = new RowEncoder();
    const large = await Promise.all([bufferOf(encoder), bufferOf(encoder), bufferOf(encoder)]);
    expect(new Set(large).size).toBe(3);
    for (let ms = 0; ms < 2000; ms += 500) {
      jest.advanceTimersByTime(500);
      await bufferOf(encoder, SMALL);
    }
    const now = await Promise.all([bufferOf(encoder), bufferOf(encoder), bufferOf(encoder)]);
    expect(now.filter((buffer) => large.includes(buffer))).toEqual([]);
  });
});
