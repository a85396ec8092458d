import fc from 'fast-check';
import type { NewFact } from '@app/events';
import { micros } from '@app/wire';
import { aStart, anEnd, endItem, startItem } from '../../../../test/support/records.js';
import { unpackedCalls, type PackedCalls, type Sender } from './packed-calls.js';
import { readCalls, readPackedCalls, type CallOperation } from './read-calls.js';

const context = {
  userId: 'ann',
  addsOnly: false,
  retryId: 'retry-1',
  now: micros(Date.UTC(2026, 2, 2) * 1000),
  redactKeys: ['*apikey'],
};
const origin = { keyId: 'k', address: '::1', requestId: 'r' };

function aSender(fields: Partial<Sender> = { origin }): Sender {
  let last = 0;
  return { userId: 'ann', addsOnly: false, now: () => micros(++last), ...fields };
}

/** As the thread for large bodies sends it. */
const moved = (packed: PackedCalls): PackedCalls =>
  structuredClone(packed, {
    transfer: [packed.body.buffer, packed.others.buffer, packed.facts.buffer] as ArrayBuffer[],
  });

const bytesOf = (batch: readonly unknown[]) => {
  const text = JSON.stringify({ batch });
  const body = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  body.write(text);
  return body;
};

/** What the intake published before facts were packed. */
const withSender = (facts: readonly NewFact[], { origin, now }: Sender): NewFact[] =>
  facts.map((fact) => ({ ...fact, receivedAt: now(), ...(origin && { origin }) }));

const id = fc.oneof(
  fc.uuid(),
  fc.constantFrom(null, 'é', '東京\ud800', '\udc00x', 7, 'x'.repeat(129)),
);
const record = fc
  .record({
    project_id: fc.constantFrom('acme/demo', 'acme/other', 'é/ü', 'none', undefined),
    id,
    trace_id: id,
    started_at: fc.constantFrom('2026-03-01T10:00:00Z', '2020-01-01', '1970-01-01', 'never'),
    ended_at: fc.constantFrom('2026-03-01T10:00:00Z', '2100-01-01T10:00:00Z'),
    inputs: fc.constantFrom({}, { api_key: 'secret' }, { text: '東京' }, 7),
  })
  .map((fields) => ({ ...aStart(), ...anEnd(), ...fields }));
const item = fc.oneof(
  {
    weight: 8,
    arbitrary: record.chain((one) => fc.constantFrom(startItem(one), endItem(one), one)),
  },
  { weight: 1, arbitrary: fc.constantFrom(7, null, {}) },
);

describe('packed calls', () => {
  it('are unpacked to the facts and responses that were read', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(item, { maxLength: 8 }),
        fc.constantFrom<CallOperation>('upsert_batch', 'complete'),
        fc.constantFrom(aSender, () => aSender({})),
        async (batch, operation, senderOf) => {
          const read = readCalls(bytesOf(batch), operation, context);
          const packed = moved(readPackedCalls(bytesOf(batch), operation, context));
          const { facts, responses } = await unpackedCalls(packed, senderOf());

          expect(facts).toStrictEqual(withSender(read.facts, senderOf()));
          expect(responses).toStrictEqual(read.responses);
          expect(packed.ignored).toEqual(read.ignored);
          expect(new Set(packed.projects)).toEqual(
            new Set(read.facts.map(({ projectId }) => projectId)),
          );
        },
      ),
      { numRuns: 300 },
    );
  });

  it('have the items that are as they were sent in the body, and only the others apart', () => {
    const sent = [startItem(), startItem({ inputs: { api_key: 'secret' } }), endItem()];
    const { body, others } = readPackedCalls(bytesOf(sent), 'upsert_batch', context);

    expect(Buffer.from(body)).toEqual(bytesOf(sent));
    expect(JSON.parse(Buffer.from(others).toString())).toMatchObject({
      inputs: { api_key: 'REDACTED' },
    });
    expect(readPackedCalls(bytesOf([endItem()]), 'upsert_batch', context).others).toHaveLength(0);
  });

  it('are read from a body that shares its memory with other bytes', async () => {
    const text = JSON.stringify({ batch: [endItem({ id: 'c1' })] });
    const memory = Buffer.from(`${text}${text}`);
    const packed = readPackedCalls(memory.subarray(text.length), 'upsert_batch', context);
    const { facts } = await unpackedCalls(packed, aSender());

    expect(JSON.parse(facts[0]!.item.toString())).toMatchObject({ id: 'c1' });
  });

  it('let other requests run while 20,000 of them are unpacked', async () => {
    const batch = Array.from({ length: 20_000 }, () => startItem({ id: 'c', trace_id: 't' }));
    const packed = moved(readPackedCalls(bytesOf(batch), 'upsert_batch', context));
    let turns = 0;
    const count = () => {
      turns++;
      timer = setImmediate(count);
    };
    let timer = setImmediate(count);
    const { facts, responses } = await unpackedCalls(packed, aSender());
    clearImmediate(timer);

    expect([facts.length, responses.length]).toEqual([20_000, 20_000]);
    expect(turns).toBeGreaterThan(1);
  });
});
