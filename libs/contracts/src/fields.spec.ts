import { validateSync } from 'class-validator';
import fc from 'fast-check';
import { JsonText } from '@app/wire';
import { CallReadRequest, CallsFilter, CallsQueryStatsRequest } from './call-reads.dto.js';
import { CallCompleteRecord, CallEndRecord, CallStartRecord } from './call-records.dto.js';
import { CallsDeleteRequest, CallUpdateRequest } from './call-writes.dto.js';
import { PROJECT_ID } from './fields.js';

type Dto = new () => object;
type Fields = Readonly<Record<string, unknown>>;

const json = (text: string) => new JsonText(Buffer.from(text));
const empty = json('{}');
const timestamp = '2026-03-01T10:00:00.123456Z';

/** Names of the invalid fields. */
const invalidFields = (dto: Dto, fields: Fields) =>
  validateSync(Object.assign(new dto(), fields)).map(({ property }) => property);

const rules: { name: string; dto: Dto; required: Fields; optional: Fields }[] = [
  {
    name: 'a start',
    dto: CallStartRecord,
    required: {
      project_id: 'acme/demo',
      op_name: 'summarise',
      started_at: timestamp,
      attributes: empty,
      inputs: empty,
    },
    optional: {
      id: 'c1',
      display_name: 'x',
      trace_id: 't1',
      parent_id: 'c0',
      thread_id: 'th',
      turn_id: 'c0',
      otel_dump: empty,
      wb_user_id: 'ann',
      wb_run_id: 'acme/demo/r1',
      wb_run_step: 0,
    },
  },
  {
    name: 'an end',
    dto: CallEndRecord,
    required: { project_id: 'acme/demo', id: 'c1', ended_at: timestamp, summary: empty },
    optional: {
      exception: 'boom',
      output: json('[1]'),
      started_at: timestamp,
      trace_id: 't1',
      display_name: 'x',
      wb_run_step_end: 3,
    },
  },
  {
    name: 'a complete call',
    dto: CallCompleteRecord,
    required: {
      project_id: 'acme/demo',
      id: 'c1',
      trace_id: 't1',
      op_name: 'summarise',
      started_at: timestamp,
      ended_at: timestamp,
      attributes: empty,
      inputs: empty,
      summary: empty,
    },
    optional: {
      display_name: 'x',
      parent_id: 'c0',
      thread_id: 'th',
      turn_id: 'c0',
      output: json('null'),
      exception: 'boom',
      otel_dump: empty,
      wb_user_id: 'ann',
      wb_run_id: 'acme/demo/r1',
      wb_run_step: 0,
      wb_run_step_end: 1,
    },
  },
  {
    name: 'a rename',
    dto: CallUpdateRequest,
    required: { project_id: 'acme/demo', call_id: 'c1' },
    // The operation itself refuses a request without it.
    optional: { display_name: '' },
  },
  {
    name: 'a deletion',
    dto: CallsDeleteRequest,
    required: { project_id: 'acme/demo', call_ids: ['c1'] },
    optional: {},
  },
  {
    name: 'a request to read one call',
    dto: CallReadRequest,
    required: { project_id: 'acme/demo', id: 'c1' },
    optional: {
      include_costs: true,
      include_storage_size: true,
      include_total_storage_size: false,
    },
  },
  {
    name: 'a request to count calls',
    dto: CallsQueryStatsRequest,
    required: { project_id: 'acme/demo' },
    optional: {
      filter: new CallsFilter(),
      query: {},
      limit: 5,
      include_total_storage_size: true,
      expand_columns: ['inputs.a'],
    },
  },
  {
    name: 'a filter',
    dto: CallsFilter,
    required: {},
    optional: {
      op_names: ['x'],
      input_refs: [],
      output_refs: ['r'],
      parent_ids: ['p'],
      trace_ids: ['t'],
      call_ids: ['c'],
      thread_ids: ['th'],
      turn_ids: ['tu'],
      trace_roots_only: true,
      wb_user_ids: ['ann'],
      wb_run_ids: ['r1'],
    },
  },
];

describe.each(rules)('$name', ({ dto, required, optional }) => {
  const someOf = (fields: Fields) => fc.subarray(Object.keys(fields));

  it('has these fields and no others', () => {
    expect(Object.keys(new dto())).toEqual(
      expect.arrayContaining([...Object.keys(required), ...Object.keys(optional)]),
    );
    expect(Object.keys(new dto())).toHaveLength(
      Object.keys(required).length + Object.keys(optional).length,
    );
  });

  it('needs only its required fields and accepts all others', () => {
    expect(invalidFields(dto, required)).toEqual([]);
    expect(invalidFields(dto, { ...required, ...optional })).toEqual([]);
  });

  it('is refused for exactly the required fields that are missing or null', () => {
    fc.assert(
      fc.property(someOf(required), fc.constantFrom(undefined, null), (missing, nothing) => {
        const without = Object.fromEntries(missing.map((field) => [field, nothing]));
        expect(invalidFields(dto, { ...required, ...without }).sort()).toEqual([...missing].sort());
      }),
    );
  });

  it('treats null like absent in every optional field', () => {
    fc.assert(
      fc.property(someOf(optional), (absent) => {
        const nulls = Object.fromEntries(absent.map((field) => [field, null]));
        expect(invalidFields(dto, { ...required, ...optional, ...nulls })).toEqual([]);
      }),
    );
  });

  it('refuses a field of the wrong type, required or not', () => {
    const fields = Object.keys({ ...required, ...optional }).filter((field) => field !== 'output');

    for (const field of fields) {
      expect(invalidFields(dto, { ...required, [field]: Symbol('neither') })).toEqual([field]);
    }
  });
});

describe('field validation', () => {
  const start = rules[0]!;
  const invalidFieldsOf = (fields: Fields) =>
    invalidFields(start.dto, { ...start.required, ...fields });

  it('limits an id to 128 characters', () => {
    expect(invalidFieldsOf({ id: 'x'.repeat(128) })).toEqual([]);
    expect(invalidFieldsOf({ id: 'x'.repeat(129) })).toEqual(['id']);
    expect(invalidFields(CallReadRequest, { project_id: 'a/b', id: '' })).toEqual(['id']);
  });

  it.each(['attributes', 'inputs', 'otel_dump'])(
    'limits the payload %s to 200 levels of nesting',
    (field) => {
      const nested = (levels: number) => json('{"a":'.repeat(levels) + '0' + '}'.repeat(levels));
      expect(invalidFieldsOf({ [field]: nested(200) })).toEqual([]);
      expect(invalidFieldsOf({ [field]: nested(201) })).toEqual([field]);
    },
  );

  it('accepts only non-negative safe integers as counts', () => {
    expect(invalidFieldsOf({ wb_run_step: Number.MAX_SAFE_INTEGER })).toEqual([]);
    for (const wb_run_step of [-1, 1.5, 2 ** 53, 1e300, Infinity, NaN, '5']) {
      expect(invalidFieldsOf({ wb_run_step })).toEqual(['wb_run_step']);
    }
  });

  it('accepts only objects as payloads where the wire contract requires one', () => {
    for (const text of ['[]', '"{}"', '1', 'null', 'true']) {
      expect(invalidFieldsOf({ inputs: json(text) })).toEqual(['inputs']);
    }
    expect(invalidFieldsOf({ inputs: {} })).toEqual(['inputs']);
    expect(invalidFieldsOf({ otel_dump: json('null') })).toEqual([]);
    expect(invalidFieldsOf({ otel_dump: json('[]') })).toEqual(['otel_dump']);
  });

  it('limits a list to a thousand strings', () => {
    const op_names = Array<string>(1000).fill('x');

    expect(invalidFields(CallsFilter, { op_names })).toEqual([]);
    expect(invalidFields(CallsFilter, { op_names: [...op_names, 'x'] })).toEqual(['op_names']);
    expect(invalidFields(CallsFilter, { op_names: ['x', 1] })).toEqual(['op_names']);
  });
});

describe('a project id', () => {
  it.each(['acme/demo', 'a/b', 'Ümläut & co/my project', `${'e'.repeat(128)}/${'p'.repeat(128)}`])(
    'accepts %s',
    (id) => {
      expect(id).toMatch(PROJECT_ID);
    },
  );

  it.each([
    '',
    'demo',
    '/demo',
    'acme/',
    'a/b/c',
    'a\n/b',
    'a/b\n',
    'a/\u0000',
    'x'.repeat(300),
    './b',
    '../b',
    'a/.',
    'a/..',
  ])('refuses %j', (id) => {
    expect(id).not.toMatch(PROJECT_ID);
  });
});
