import {
  endOfValue,
  extentOfValue,
  JsonText,
  memberSpans,
  skipSpace,
  walkMembers,
} from '@app/wire';

/** The fields of a call that are stored as the exact text that was sent. */
const PAYLOAD_FIELDS = ['attributes', 'inputs', 'output', 'summary', 'otel_dump'] as const;
export type PayloadField = (typeof PAYLOAD_FIELDS)[number];

/** One record of the wire: payload fields as text, all other fields parsed. */
export type CallItem = Readonly<Record<string, unknown>> &
  Readonly<Partial<Record<PayloadField, JsonText>>>;

/**
 * Reads the members of one record. Ingest validates and the worker projects what this function returns for the same
 * bytes, so both see the same record.
 */
export function readCallItem(json: Buffer): CallItem {
  return readCallItemAt(json, skipSpace(json, 0)).item;
}

/** The members that most records have. V8 reads an object that begins with all of them faster than one that grows by each name. */
class RecordMembers {
  project_id: unknown = undefined;
  id: unknown = undefined;
  trace_id: unknown = undefined;
  parent_id: unknown = undefined;
  thread_id: unknown = undefined;
  turn_id: unknown = undefined;
  op_name: unknown = undefined;
  display_name: unknown = undefined;
  started_at: unknown = undefined;
  ended_at: unknown = undefined;
  exception: unknown = undefined;
  wb_user_id: unknown = undefined;
  wb_run_id: unknown = undefined;
  wb_run_step: unknown = undefined;
  wb_run_step_end: unknown = undefined;
  attributes: unknown = undefined;
  inputs: unknown = undefined;
  output: unknown = undefined;
  summary: unknown = undefined;
  otel_dump: unknown = undefined;
}
// Clients choose the names of the others: `constructor` and `__proto__` must be names like any other.
Object.setPrototypeOf(RecordMembers.prototype, null);
Reflect.deleteProperty(RecordMembers.prototype, 'constructor');

/**
 * Reads the record that starts at `start`, and returns its end too. A member that it does not have is undefined. `extentAt` may know
 * the extents of its values already.
 */
export function readCallItemAt(
  json: Buffer,
  start: number,
  extentAt = (at: number) => extentOfValue(json, at),
): { item: CallItem; end: number } {
  const item = new RecordMembers() as unknown as Record<string, unknown>;
  const end = walkMembers(json, start, (key, at) => {
    if (PAYLOADS.has(key)) {
      const extent = extentAt(at);
      item[key] = new JsonText(json.subarray(at, extent.end), extent.depth);
      return extent.end;
    }
    const valueEnd = endOfValue(json, at);
    item[key] = smallValue(json, at, valueEnd);
    return valueEnd;
  });
  return { item, end };
}

const PAYLOADS: ReadonlySet<string> = new Set(PAYLOAD_FIELDS);
const PLAIN = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;

/** Most fields are plain strings or null; JSON.parse reads all others. */
function smallValue(json: Buffer, start: number, end: number): unknown {
  if (json[start] === 0x6e) return null;
  if (json[start] === 0x22) {
    const plain = json.toString('latin1', start + 1, end - 1);
    if (PLAIN.test(plain)) return plain;
  }
  return JSON.parse(json.toString('utf8', start, end)) as unknown;
}

/** The record's text with members added at its end, where they override members of the same name. */
export function withMembers(item: Buffer, members: Readonly<Record<string, string>>): Buffer {
  const added = JSON.stringify(members).slice(1, -1);
  if (added === '') return item;
  const close = item.lastIndexOf('}');
  const head = item.subarray(0, close);
  const separator = memberSpans(item).size > 0 ? ',' : '';
  return Buffer.concat([head, Buffer.from(`${separator}${added}}`)]);
}
