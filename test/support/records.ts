import { randomBytes, randomUUID } from 'node:crypto';

type Fields = Record<string, unknown>;

/** A start record of the wire; a test sets only the fields it is about. */
export const aStart = (fields: Fields = {}) => ({
  project_id: 'acme/demo',
  id: randomUUID(),
  trace_id: randomUUID(),
  op_name: 'summarise',
  started_at: '2026-03-01T10:00:00.000000Z',
  attributes: {},
  inputs: {},
  ...fields,
});

/** An end record of the wire. */
export const anEnd = (fields: Fields = {}) => ({
  project_id: 'acme/demo',
  id: randomUUID(),
  ended_at: '2026-03-01T10:00:01.250000Z',
  summary: {},
  ...fields,
});

export const startItem = (fields: Fields = {}) => ({
  mode: 'start',
  req: { start: aStart(fields) },
});
export const endItem = (fields: Fields = {}) => ({ mode: 'end', req: { end: anEnd(fields) } });

/** The id of a call that starts at this time as the SDKs make it: a UUID of version 7. */
export function anIdMadeAt(startedAt: string): string {
  const ms = Date.parse(startedAt).toString(16).padStart(12, '0');
  return `${ms.slice(0, 8)}-${ms.slice(8)}-7${randomUUID().slice(15)}`;
}

/** A span as OTLP writes it in JSON. */
export const aSpan = (fields: Fields = {}) => ({
  traceId: randomBytes(16).toString('hex'),
  spanId: randomBytes(8).toString('hex'),
  name: 'summarise',
  startTimeUnixNano: '1772359200000001000',
  endTimeUnixNano: '1772359201250000999',
  attributes: [],
  ...fields,
});

type Plain = string | number | boolean | readonly Plain[];

/** Attributes as OTLP writes them in JSON. */
export const spanAttributes = (attributes: Readonly<Record<string, Plain>>) =>
  Object.entries(attributes).map(([key, value]) => ({ key, value: anyValue(value) }));

function anyValue(value: Plain): object {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value !== 'number') return { arrayValue: { values: value.map(anyValue) } };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

/** A text of this size that gzip makes about a hundred times smaller: less than the limit on bodies that expand. */
export function aLargeText(bytes: number): Buffer {
  const repeated = randomBytes(12 * 1024).toString('base64');
  return Buffer.alloc(bytes, repeated);
}
