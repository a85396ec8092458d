import { randomUUID } from 'node:crypto';

type Fields = Record<string, unknown>;

/** A start record of the wire; a test states only what it is about. */
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
