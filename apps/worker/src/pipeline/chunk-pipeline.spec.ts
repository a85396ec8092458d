import { decodeChunk, encodeChunk } from '@app/events';
import { createLogger } from '@app/observability';
import { aFact } from '../../../../test/support/facts.js';
import { ChunkPipeline } from './chunk-pipeline.js';

const FLUSH_BYTES = 1000;

const aChunk = (bytes: number): Buffer =>
  encodeChunk([aFact('start', { item: { inputs: { text: 'x'.repeat(bytes) } } })]);

/** A pipeline whose writes end when the test ends them. */
function aPipeline(payloads: Record<string, Buffer>) {
  const fetched: string[] = [];
  const writes: (() => void)[] = [];
  const queue = {
    payloadBytes: async (id: string) => payloads[id]!.length,
    payload: async (id: string) => (fetched.push(id), payloads[id]!),
  };
  const stream = {
    queue: { ...queue, isSettled: async () => false, settle: async () => true },
    decode: decodeChunk,
    write: () => new Promise<void>((resolve) => writes.push(resolve)),
    onPayloadLost: () => Promise.reject(new Error('lost')),
  };
  const limits = { intervalMs: () => 0, maxBytes: FLUSH_BYTES, maxInFlight: 2 };
  const chunks = new ChunkPipeline(stream, limits, createLogger('test', 'error'));
  return { chunks, fetched, writes };
}

const nextTurn = () => new Promise(setImmediate);

describe('the chunks of a pipeline', () => {
  it('are fetched only while they fit into the byte budget', async () => {
    const { chunks, fetched, writes } = aPipeline({
      large: aChunk(10 * FLUSH_BYTES),
      small: aChunk(100),
      other: aChunk(100),
    });

    const stored = ['large', 'small', 'other'].map((id) => chunks.store(id));
    await nextTurn();
    expect(fetched).toEqual(['large']);

    writes[0]!();
    await stored[0];
    await nextTurn();
    expect(fetched).toEqual(['large', 'small', 'other']);
    while (writes.length < 2) await nextTurn();
    writes[1]!();
    await Promise.all(stored.slice(0, 2));
  });
});
