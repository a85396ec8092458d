import { millis } from '@app/wire';
import { aFact } from '../../../../test/support/facts.js';
import { OpenCalls } from './open-calls.js';

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
  it('count a chunk once, for as long as one of its calls is open', () => {
    const open = new OpenCalls(10_000);
    const [a, b] = ofOneChunk(600, 2);
    open.note('a', [a!]);
    open.note('b', [b!]);
    expect(open.heldBytes).toBe(600 + 2 * FACT);

    open.forget('a');
    open.forget('a');
    expect(open.heldBytes).toBe(600 + FACT);
    open.forget('b');
    expect(open.heldBytes).toBe(0);
  });

  it('are forgotten beyond the bound, the oldest first', () => {
    const open = new OpenCalls(1000 + FACT);
    const [old, young] = [ofOneChunk(600, 1), ofOneChunk(600, 1)];
    const call = open.note('old', old);
    open.note('young', young);
    open.trim();

    expect(open.heldBytes).toBe(600 + FACT);
    expect(open.note('old', old)).not.toBe(call);
    expect(open.note('young', []).facts).toEqual(young);
  });

  it('are forgotten after twenty minutes', () => {
    const open = new OpenCalls(1_000_000);
    const minutes = (n: number) => millis(n * 60_000);
    const old = open.note('old', ofOneChunk(10, 1), minutes(0));
    const young = open.note('young', ofOneChunk(10, 1), minutes(1));
    open.trim(millis(minutes(20) + 1));

    expect(open.note('old', [], minutes(21))).not.toBe(old);
    expect(open.note('young', [], minutes(21))).toBe(young);
  });
});
