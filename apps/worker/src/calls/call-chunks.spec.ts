import { readConfig } from '@app/config';
import { encodeChunk } from '@app/events';
import { aFact } from '../../../../test/support/facts.js';
import { CallChunks, type CallChunksParts } from './call-chunks.js';

const FLUSH_BYTES = 1000;

const aChunk = (bytes: number): Buffer =>
  encodeChunk([aFact('start', { item: { inputs: { text: 'x'.repeat(bytes) } } })]);

/** A lane whose writes end when the test says so. */
function aLane(payloads: Record<string, Buffer>) {
  const fetched: string[] = [];
  const writes: (() => void)[] = [];
  const queue = {
    payloadBytes: async (id: string) => payloads[id]!.length,
    payload: async (id: string) => (fetched.push(id), payloads[id]!),
  };
  const chunks = new CallChunks({
    write: () => new Promise<void>((resolve) => writes.push(resolve)),
    queue,
    parts: { slowdown: 1 },
    config: { ...readConfig({}).worker, flushMaxBytes: FLUSH_BYTES, flushIntervalMs: 0 },
    logger: { warn: () => undefined },
  } as unknown as CallChunksParts);
  return { chunks, fetched, writes };
}

const aMoment = () => new Promise(setImmediate);

describe('the chunks of a lane', () => {
  it('are fetched while there is room for them, as large as they are', async () => {
    const { chunks, fetched, writes } = aLane({
      large: aChunk(10 * FLUSH_BYTES),
      small: aChunk(100),
      other: aChunk(100),
    });

    const stored = ['large', 'small', 'other'].map((id) => chunks.store(id));
    await aMoment();
    expect(fetched).toEqual(['large']);

    writes[0]!();
    await stored[0];
    await aMoment();
    expect(fetched).toEqual(['large', 'small', 'other']);
    while (writes.length < 2) await aMoment();
    writes[1]!();
    await Promise.all(stored.slice(0, 2));
  });
});
