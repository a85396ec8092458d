import fc from 'fast-check';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import {
  CallBatchEndMode,
  CallBatchStartMode,
  CallEndRequest,
  CallsCompleteRequest,
  CallStartRequest,
  CallUpsertBatchRequest,
} from '@app/contracts';
import { micros } from '@app/wire';
import { aStart, anEnd } from '../../../../test/support/records.js';
import { batchFacts, completedFacts, endedFact, startedFact } from './call-facts.js';

const context = { userId: 'ann', addsOnly: false, now: () => micros(1), newId: () => 'new' };
/** Valid as a start, as an end and as a whole call, so that only the envelope decides. */
const RECORD = JSON.stringify({ ...aStart({ id: 'c1' }), ...anEnd({ id: 'c1' }) });

/** The text of an object: members in any order, repeated, some with unknown names. */
const objectOf = (names: readonly string[], value: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .array(fc.tuple(fc.constantFrom(...names, 'other'), value), { maxLength: 4 })
    .map((members) => `{${members.map(([key, text]) => `"${key}" : ${text}`).join(', ')}}`);
const odd = fc.constantFrom('null', '7', '"start"', '[]', '{}', 'true');
const mostly = (value: fc.Arbitrary<string>) => fc.oneof({ weight: 3, arbitrary: value }, odd);

const record = fc.constantFrom(RECORD, RECORD, RECORD, 'null', '7', '"x"', '[]');
const req = mostly(objectOf(['start', 'end'], record));
const mode = fc.constantFrom(
  '"start"',
  '"end"',
  '"start"',
  '"end"',
  '"START"',
  'null',
  '["start"]',
);
const item = fc
  .array(fc.oneof(fc.tuple(fc.constant('mode'), mode), fc.tuple(fc.constant('req'), req)), {
    maxLength: 4,
  })
  .map((members) => `{${members.map(([key, text]) => `"${key}":${text}`).join()}}`);

type Class = new () => object;
/** Whether class-validator accepts what JSON.parse returns. */
function isValid(dto: Class, text: string): boolean {
  const value: unknown = JSON.parse(text);
  const isObject = value !== null && typeof value === 'object' && !Array.isArray(value);
  return isObject && validateSync(plainToInstance(dto, value)).length === 0;
}

const isAccepted = (read: () => unknown): boolean => {
  try {
    read();
    return true;
  } catch {
    return false;
  }
};

describe('the reader of envelopes agrees with their DTOs', () => {
  it('on an item of a batch', () => {
    fc.assert(
      fc.property(mostly(item), (text) => {
        const [accepted] = batchFacts(Buffer.from(`{"batch":[${text}]}`), context);
        const isValidItem = [CallBatchStartMode, CallBatchEndMode].some((dto) =>
          isValid(dto, text),
        );

        expect([text, accepted!.fact.kind !== 'rejected']).toEqual([text, isValidItem]);
      }),
      { numRuns: 2000 },
    );
  });

  const list = fc.constantFrom(`[${RECORD}]`, '[]', `[7]`);
  it.each([
    ['call/upsert_batch', CallUpsertBatchRequest, batchFacts, objectOf(['batch'], mostly(list))],
    ['calls/complete', CallsCompleteRequest, completedFacts, objectOf(['batch'], mostly(list))],
    ['call/start', CallStartRequest, startedFact, objectOf(['start'], record)],
    ['call/end', CallEndRequest, endedFact, objectOf(['end'], record)],
  ] as const)('on the body of %s', (_, dto, read, body) => {
    fc.assert(
      fc.property(mostly(body), (text) => {
        const accepted = isAccepted(() => read(Buffer.from(text), context));

        expect([text, accepted]).toEqual([text, isValid(dto, text)]);
      }),
      { numRuns: 500 },
    );
  });
});
