import fc from 'fast-check';
import { readConfig } from '@app/config';
import type { NewFact } from '@app/events';
import { extentOfValue, jsonShape, micros, walkElements } from '@app/wire';
import { BodyOutline } from './body-outline.js';
import { Redaction } from './redaction.js';

const redaction = new Redaction(readConfig({}).ingest);

function outlineOf(body: Buffer): BodyOutline {
  const outline = new BodyOutline(body, redaction);
  expect(jsonShape(body, 512, outline)).toBeDefined();
  return outline;
}

const key = fc.oneof(
  fc.constantFrom('api_key', 'x-API-key-', 'my_token', 'authorization', 'inputs', '"api_key', 'é'),
  fc.string(),
);
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'large' },
    fc.oneof(
      fc.string(),
      fc.integer(),
      fc.constantFrom(null, true, '"', '\\', '{[', '"api_key":"x"'),
    ),
    fc.dictionary(key, tie('value'), { maxKeys: 4 }),
    fc.array(tie('value'), { maxLength: 3 }),
  ),
}));
const space = fc.constantFrom(undefined, 1, '\t');
const batch = fc
  .tuple(fc.array(value, { maxLength: 4 }), space)
  .map(([items, gap]) => Buffer.from(JSON.stringify(items, undefined, gap)));

const aFact = (item: Buffer, kind: NewFact['kind']): NewFact =>
  ({ kind, projectId: 'a/b', callId: 'c', userId: 'ann', receivedAt: micros(1), item }) as NewFact;

describe('the outline of a body', () => {
  it('knows where values end and how deep they are as a scan does', () => {
    fc.assert(
      fc.property(batch, (body) => {
        const outline = outlineOf(body);
        body.forEach((byte, at) => {
          if (byte === 0x7b || byte === 0x5b || byte === 0x22)
            expect([at, outline.extentAt(at)]).toEqual([at, extentOfValue(body, at)]);
        });
      }),
    );
  });

  it('knows the strings that redaction finds in each item', () => {
    fc.assert(
      fc.property(batch, fc.constantFrom('start', 'end', 'rejected'), (body, kind) => {
        const outline = outlineOf(body);
        walkElements(body, 0, (start) => {
          const { end } = extentOfValue(body, start);
          const item = body.subarray(start, end);
          const fact = aFact(item, body[start] === 0x7b ? kind : 'rejected');
          const known = outline.secretsIn(item);

          expect(known).toBeDefined();
          expect(redaction.redact(fact, known).item.toString()).toBe(
            redaction.redact(fact).item.toString(),
          );
          return end;
        });
      }),
    );
  });

  it('knows nothing of other bytes, so that they are scanned', () => {
    const text = '{"inputs":{"api_key":"x"}}';
    const memory = Buffer.from(`${text}${text}`);
    const outline = outlineOf(memory.subarray(0, text.length));

    expect(outline.secretsIn(memory.subarray(0, text.length))).toHaveLength(1);
    expect(outline.secretsIn(memory.subarray(text.length))).toBeUndefined();
    expect(outline.secretsIn(memory)).toBeUndefined();
    expect(outline.secretsIn(Buffer.from(text))).toBeUndefined();
  });

  it('knows no secrets when there are more than it notes, so that all are scanned', () => {
    const many = `{${'"api_key":"x",'.repeat(50_000)}"n":1}`;
    const body = Buffer.from(`[{"inputs":{"api_key":"x"}},${many}]`);

    expect(outlineOf(body).secretsIn(body.subarray(1, 27))).toBeUndefined();
  });

  it('is right about containers after those that it notes', () => {
    const body = Buffer.from(`[${'[],'.repeat(200_100)}{"a":[1]}]`);
    const at = body.indexOf('{');

    expect(outlineOf(body).extentAt(at)).toEqual({ end: body.length - 1, depth: 2 });
    expect(outlineOf(body).extentAt(0)).toEqual({ end: body.length, depth: 3 });
  });
});
