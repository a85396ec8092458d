import { millis } from '@app/wire';
import { aFact } from '../../../../test/support/facts.js';
import { OpenCalls } from './call-snapshots.js';

/** Facts of one chunk share its bytes. */
function ofOneChunk(bytes: number, count: number) {
  const chunk = Buffer.from(new ArrayBuffer(bytes));
  return Array.from({ length: count }, (_, i) => ({
    ...aFact('start', { callId: `c${i}`, index: i }),
    item: chunk.subarray(i, i + 1),
  }));
}

const FACT = 2048;

describe('open calls', () => {
  it('count a chunk once while any of its calls is open', () => {
    const open = new OpenCalls(10_000);
    const [a, b] = ofOneChunk(600, 2);
    open.add('a', [a!]);
    open.add('b', [b!]);
    expect(open.retainedBytes).toBe(600 + 2 * FACT);

    open.forget('a');
    open.forget('a');
    expect(open.retainedBytes).toBe(600 + FACT);
    open.forget('b');
    expect(open.retainedBytes).toBe(0);
  });

  it('are dropped beyond the limit of bytes, the oldest first', () => {
    const open = new OpenCalls(1000 + FACT);
    const [old, young] = [ofOneChunk(600, 1), ofOneChunk(600, 1)];
    const call = open.add('old', old);
    open.add('young', young);
    open.trim();

    expect(open.retainedBytes).toBe(600 + FACT);
    expect(open.add('old', old)).not.toBe(call);
    expect(open.add('young', []).facts).toEqual(young);
  });

  it('are dropped after twenty minutes', () => {
    const open = new OpenCalls(1_000_000);
    const minutes = (n: number) => millis(n * 60_000);
    const old = open.add('old', ofOneChunk(10, 1), minutes(0));
    const young = open.add('young', ofOneChunk(10, 1), minutes(1));
    open.trim(millis(minutes(20) + 1));

    expect(open.add('old', [], minutes(21))).not.toBe(old);
    expect(open.add('young', [], minutes(21))).toBe(young);
  });
});
