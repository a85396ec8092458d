import { jest } from '@jest/globals';
import { asText, type Table } from './row-binary.js';
import { RowEncoder } from './row-encoder.js';

const TABLE: Table<{ text: string }> = { name: 'texts', columns: { text: asText } };

describe('the encoder of rows', () => {
  beforeEach(() => void jest.useFakeTimers({ doNotFake: ['setImmediate'] }));
  afterEach(() => void jest.useRealTimers());

  async function bufferOf(encoder: RowEncoder): Promise<ArrayBufferLike> {
    let used: ArrayBufferLike | undefined;
    await encoder.encode(TABLE, [{ text: 'a' }], async (bytes) => void (used = bytes.buffer));
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
});
