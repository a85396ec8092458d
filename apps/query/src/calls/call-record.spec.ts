import fc from 'fast-check';
import { memberSpans } from '@app/wire';
import { callRecord, type CallExtras } from './call-record.js';
import type { CallRecordRow } from './calls.sql.js';

const micros = (iso: string) => Date.parse(iso) * 1000;

const aRow = (fields: Partial<CallRecordRow> = {}): CallRecordRow => ({
  id: 'c1',
  project_id: 'acme/demo',
  trace_id: 't1',
  parent_id: '',
  thread_id: '',
  turn_id: '',
  op_name: 'summarise',
  display_name: '',
  started: micros('2026-03-01T10:00:00Z'),
  ended: 0,
  status: 'running',
  exception: '',
  user_id: 'ann',
  run_id: '',
  run_step: -1,
  run_step_end: -1,
  attributes: '{}',
  inputs: '{}',
  output: '',
  summary: '',
  otel_dump: '',
  size_bytes: 0,
  ...fields,
});

const record = (fields: Partial<CallRecordRow> = {}, extras?: CallExtras) =>
  JSON.parse(callRecord(aRow(fields), extras)) as {
    attributes: object;
    summary: { weave: object };
  };

/** The text of a member, exactly as in the response. */
const memberText = (json: string, ...path: string[]): string | undefined =>
  path.reduce<string | undefined>((text, name) => {
    const bytes = Buffer.from(text ?? '');
    const span = memberSpans(bytes).get(name);
    return span && bytes.toString('utf8', span.start, span.end);
  }, json);

describe('the record of a call', () => {
  it('has every field of the wire, null where nothing is known', () => {
    expect(record()).toEqual({
      id: 'c1',
      project_id: 'acme/demo',
      op_name: 'summarise',
      display_name: null,
      trace_id: 't1',
      parent_id: null,
      thread_id: null,
      turn_id: null,
      started_at: '2026-03-01T10:00:00.000000Z',
      ended_at: null,
      exception: null,
      wb_user_id: 'ann',
      wb_run_id: null,
      wb_run_step: null,
      wb_run_step_end: null,
      deleted_at: null,
      expire_at: null,
      storage_size_bytes: null,
      total_storage_size_bytes: null,
      attributes: {},
      inputs: {},
      output: null,
      summary: { weave: { status: 'running', trace_name: 'summarise' } },
    });
  });

  it('has what is known, also when ClickHouse sends numbers as text', () => {
    const ended = String(micros('2026-03-01T10:00:01Z') + 250_999);

    expect(record({ ended, run_step: '0', run_step_end: '7', parent_id: 'c0' })).toMatchObject({
      ended_at: '2026-03-01T10:00:01.250999Z',
      wb_run_step: 0,
      wb_run_step_end: 7,
      parent_id: 'c0',
    });
    expect(record({}, { storageSize: 5, totalStorageSize: 9 })).toMatchObject({
      storage_size_bytes: 5,
      total_storage_size_bytes: 9,
    });
  });

  it('returns payloads as the text the client sent', () => {
    const space = fc.constantFrom('', ' ', '\n', '\t');
    const odd = fc.constantFrom(
      '1.0',
      '-0',
      '1e400',
      '123456789012345678901234567890',
      '"\\ud800"',
    );
    const value = fc.oneof(fc.json(), odd);
    const object = fc
      .array(fc.tuple(fc.string({ unit: 'grapheme' }), value, space))
      .map((members) => members.map(([key, text, gap]) => `${gap}${JSON.stringify(key)} :${text}`))
      .map((members) => `{${members.join(' ,')}}`);

    fc.assert(
      fc.property(object, object, value, (attributes, inputs, output) => {
        const json = callRecord(aRow({ attributes, inputs, output }));
        expect(memberText(json, 'attributes')).toBe(attributes);
        expect(memberText(json, 'inputs')).toBe(inputs);
        expect(memberText(json, 'output')).toBe(output);
        expect(JSON.parse(json)).toMatchObject({ id: 'c1' });
      }),
    );
  });

  it('has the OpenTelemetry span of the call among its attributes', () => {
    const attributes = '{"a":1.0,"otel_span":"mine"}';

    expect(record({ attributes, otel_dump: '{"name":"x"}' }).attributes).toEqual({
      a: 1,
      otel_span: { name: 'x' },
    });
    expect(record({ otel_dump: '{}' }).attributes).toEqual({ otel_span: {} });
    expect(record({ attributes }).attributes).toEqual({ a: 1, otel_span: 'mine' });
  });
});

describe('summary.weave', () => {
  const weave = (fields: Partial<CallRecordRow>) => record(fields).summary.weave;

  it('has the latency of an ended call in whole milliseconds', () => {
    const ended = micros('2026-03-01T10:00:01Z') + 250_999;

    expect(weave({ ended, status: 'success' })).toEqual({
      status: 'success',
      latency_ms: 1250,
      trace_name: 'summarise',
    });
  });

  it.each([
    ['summarise', '', 'summarise'],
    ['weave:///acme/demo/op/summary:v1', '', 'summary'],
    ['weave:///acme/demo/op/my.op-1:abc/attr/x', '', 'my.op-1'],
    ['weave:///acme/demo/object/summary:v1', '', 'weave:///acme/demo/object/summary:v1'],
    ['weave:///acme/demo/op/summary:v1', 'shown', 'shown'],
  ])('names the trace of op %s with display name "%s" %s', (op_name, display_name, trace_name) => {
    expect(weave({ op_name, display_name })).toMatchObject({ trace_name });
  });

  it('has a display name only if the call has one', () => {
    expect(weave({ display_name: 'shown' })).toHaveProperty('display_name', 'shown');
    expect(weave({})).not.toHaveProperty('display_name');
  });

  it('discards what a client sent under keys of the server and keeps the rest', () => {
    const sent = {
      status: 'great',
      latency_ms: -1,
      trace_name: 'evil',
      display_name: 'evil',
      costs: {},
      feedback: [],
      mine: { a: 1 },
    };

    expect(weave({ summary: JSON.stringify({ weave: sent }) })).toEqual({
      mine: { a: 1 },
      status: 'running',
      trace_name: 'summarise',
    });
  });

  it('discards those keys also when they are escaped or repeated', () => {
    const summary = '{"weave":1,"\\u0077eave":{"\\u0073tatus":"a","status":"b","x":1.0}}';
    const json = callRecord(aRow({ summary }));

    expect(memberText(json, 'summary')).toBe(
      '{"weave":{"x":1.0,"status":"running","trace_name":"summarise"}}',
    );
  });

  it.each(['1', 'null', '"x"', '[{"status":"x"}]'])(
    'replaces %s, which is not an object',
    (sent) => {
      expect(weave({ summary: `{"weave":${sent}}` })).toMatchObject({ status: 'running' });
    },
  );

  it('leaves the rest of the summary as the text the client sent', () => {
    const summary = '{"usage": {"gpt":{"requests":1.0}}, "weave":{}, "big":12345678901234567890}';
    const json = callRecord(aRow({ summary }));

    expect(memberText(json, 'summary', 'usage')).toBe('{"gpt":{"requests":1.0}}');
    expect(memberText(json, 'summary', 'big')).toBe('12345678901234567890');
  });
});
