import { jest } from '@jest/globals';
import { asText, type Table } from './row-binary.js';
import { RowEncoder } from './row-encoder.js';

const TABLE: Table<{ text: string }> = { name: 'texts', columns: { text: asText } };

describe('the encoder of rows', () => {
  beforeEach(() => void jest.useFakeTimers({ doNotFake: ['setImmediate'] }));
  afterEach(() => void jest.useRealTimers());

  const LARGE = 100_000;
  const SMALL = 10;

  async function bufferOf(encoder: RowEncoder, length = LARGE): Promise<ArrayBufferLike> {
    let used: ArrayBufferLike | undefined;
    const rows = [{ text: 'a'.repeat(length) }];
    await encoder.encode(TABLE, rows, async (bytes) => void (used = bytes.buffer));
    return used!;
  }

  it('reuses a buffer, and gives it up after two seconds without an insert', async () => {
    const encoder = new RowEncoder();
    const first = await bufferOf(encoder);
    jest.advanceTimersByTime(1999);
    expect(await bufferOf(encoder)).toBe(first);
    jest.advanceTimersByTime(1999);
    expect(await bufferOf(encoder)).toBe(first);
    jest.advanceTimersByTime(2000);
    expect(await bufferOf(encoder)).not.toBe(first);
  });

  it('gives up a large buffer after two seconds of small inserts', async () => {
    const encoder = new RowEncoder();
    const first = await bufferOf(encoder);
    jest.advanceTimersByTime(1500);
    expect(await bufferOf(encoder, SMALL)).toBe(first);
    jest.advanceTimersByTime(1500);
    expect(await bufferOf(encoder, SMALL)).toBe(first); // still in the pool when this insert came
    expect(await bufferOf(encoder, SMALL)).not.toBe(first);
  });
});
