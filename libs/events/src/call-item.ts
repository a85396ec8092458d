import { JsonText, memberSpans } from '@app/wire';

/** The fields of a call that are kept as the exact text they were sent as. */
export const PAYLOAD_FIELDS = ['attributes', 'inputs', 'output', 'summary', 'otel_dump'] as const;
export type PayloadField = (typeof PAYLOAD_FIELDS)[number];

/** One record of the wire as everybody here sees it: small fields parsed, payload fields as text. */
export type CallItem = Readonly<Record<string, unknown>> &
  Readonly<Partial<Record<PayloadField, JsonText>>>;

/**
 * Reads the members of one record. Ingest (which checks it) and the worker (which projects it) both call this on the
 * same bytes, so there is one envelope and no second opinion about it.
 */
export function readCallItem(json: Buffer, from = 0): CallItem {
  const item: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const [key, { start, end }] of memberSpans(json, from)) {
    item[key] = isPayloadField(key)
      ? new JsonText(json.subarray(start, end))
      : smallValue(json.toString('utf8', start, end));
  }
  return item;
}

function smallValue(text: string): unknown {
  return JSON.parse(text) as unknown;
}

function isPayloadField(key: string): key is PayloadField {
  return (PAYLOAD_FIELDS as readonly string[]).includes(key);
}

/** The record's text with members added at its end, where they win over members of the same name. */
export function withMembers(item: Buffer, members: Readonly<Record<string, string>>): Buffer {
  const added = JSON.stringify(members).slice(1, -1);
  if (added === '') return item;
  const close = item.lastIndexOf('}');
  const head = item.subarray(0, close);
  const separator = memberSpans(item).size > 0 ? ',' : '';
  return Buffer.concat([head, Buffer.from(`${separator}${added}}`)]);
}
