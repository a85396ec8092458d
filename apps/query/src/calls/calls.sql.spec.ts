import fc from 'fast-check';
import { raw, type Sql } from '@app/clickhouse';
import type { CallsFilter } from '@app/contracts';
import { micros } from '@app/wire';
import { expectGolden, printedSql } from '../../../../test/support/golden.js';
import { ExpandedFields } from '../expansion/expanded-fields.js';
import { CallFields } from './call-fields.js';
import { selectedColumns } from './call-selection.js';
import { callsQuery } from './calls-query.js';
import {
  allCalls,
  callsAt,
  undecidedCalls,
  countCalls,
  firstKeyRows,
  firstPageOfCalls,
  keysOfCalls,
  newestVersionOfCall,
  refsOfCalls,
  traceSizes,
  versionsOfCall,
} from './calls.sql.js';
import { matchingCallsAt, matchingRows, newestRows } from './payload-search.sql.js';

const fields = new CallFields('acme/demo');
const counted = (project_id: string, filter: CallsFilter, limit?: number) =>
  countCalls(callsQuery({ project_id, filter, limit: limit ?? null }, fields), true);
const readOne = (projectId: string, id: string) =>
  versionsOfCall(projectId, id, selectedColumns(undefined));

const project = 'acme/demo';
const op = (version: string) => `weave:///acme/demo/op/respond:${version}`;
const object = (version: string) => `weave:///acme/demo/object/prompt:${version}`;

const page = (request: object) => callsQuery({ project_id: project, ...request }, fields);
const matching = (expr: object) => countCalls(page({ query: { $expr: expr } }), false);

const isHot = { $gt: [{ $getField: 'inputs.model.temperature' }, { $literal: 0.8 }] };
const throughModels = new ExpandedFields(
  fields,
  new Map([
    [
      'inputs.model.temperature',
      [
        {
          column: ['inputs', 'model'],
          path: ['temperature'],
          targets: { refs: [object('v1')], texts: ['0.9'] },
        },
      ],
    ],
  ]),
);

const hasWord = {
  $contains: { input: { $getField: 'inputs.prompt' }, substr: { $literal: '100% "sure"' } },
};
const found = [{ started: 1_772_000_000_000_000, id: 'c1' }];

const statements: Record<string, Sql> = {
  'one call': readOne(project, 'c1'),
  'one call, where its id says it is': versionsOfCall(
    project,
    'c1',
    selectedColumns(['id']),
    undefined,
    micros(1_772_000_000_000_000),
  ),
  'one call with large versions': newestVersionOfCall(project, 'c1', selectedColumns(['id'])),
  'the bytes of a trace': traceSizes(project, ['t1']),
  'the newest fifty': firstPageOfCalls(
    page({ sort_by: [{ field: 'started_at', direction: 'desc' }] }),
    50,
    selectedColumns(['id']),
  ),
  'the keys of the newest fifty that contain a text': firstKeyRows(
    page({
      query: { $expr: hasWord },
      sort_by: [{ field: 'started_at', direction: 'desc' }],
    }),
    50,
  ),
  'a page deep inside, by latency': keysOfCalls(
    page({
      sort_by: [{ field: 'summary.weave.latency_ms', direction: 'desc' }],
      limit: 50,
      offset: 100,
    }),
  ),
  'one customer, hot': matching({
    $and: [
      { $eq: [{ $getField: 'inputs.meta.customer' }, { $literal: 'x' }] },
      { $gt: [{ $getField: 'inputs.params.temperature' }, { $literal: 0.8 }] },
    ],
  }),
  'whether leaves alone can tell': undecidedCalls(
    project,
    page({
      query: {
        $expr: { $and: [isHot, { $eq: [{ $getField: 'inputs.size' }, { $literal: '7' }] }] },
      },
    }).leafOnly!,
  ),
  'the calls at these keys': callsAt(project, found, selectedColumns(['inputs'])),
  'all calls of an op, as they are stored': allCalls(
    page({ filter: { op_names: ['summarise'] } }),
    selectedColumns(['id']),
  ),
  'rows with a word in their prompt': matchingRows(page({ query: { $expr: hasWord } }), 10_001),
  'the newest at the keys that were found': newestRows(project, found),
  'those of them that match as they are now': matchingCallsAt(
    page({ query: { $expr: { $eq: [{ $getField: 'display_name' }, { $literal: 'x' }] } } }),
    found,
  ),
  'the refs that a condition may lead through': refsOfCalls(
    page({ filter: { op_names: ['summarise'] } }),
    raw("leaf_s['inputs.model']"),
    100,
  ),
  'a condition that leads through refs': countCalls(
    callsQuery({ project_id: project, query: { $expr: isHot } }, throughModels),
    false,
  ),
  'well rated by its newest score, and with any thumbs up': matching({
    $and: [
      { $gt: [{ $getField: 'feedback.[score].payload.value' }, { $literal: 3 }] },
      { $eq: [{ $getField: 'feedback.[wandb.reaction.1].payload.emoji' }, { $literal: '👍' }] },
    ],
  }),
  'all calls of a project': counted(project, {}),
  'all calls, up to a limit': counted(project, {}, 100),
  'lists that are empty or null are no condition, except of threads and turns': counted(project, {
    op_names: [],
    call_ids: null,
    trace_roots_only: false,
    thread_ids: [],
    turn_ids: [],
  }),
  'every condition at once': counted(project, {
    op_names: ['summarise', op('v1')],
    input_refs: [object('v1')],
    output_refs: [object('v2')],
    parent_ids: ['c0'],
    trace_ids: ['t1', 't2'],
    call_ids: ['c1'],
    thread_ids: ['th1'],
    turn_ids: ['tu1'],
    trace_roots_only: true,
    wb_user_ids: ['ann'],
    wb_run_ids: ['r1', 'other/project/r2'],
  }),
  'any version': counted(project, { op_names: [op('*')], input_refs: [object('*')] }),
  'this version or any version of another': counted(
    project,
    { op_names: ['summarise', op('*')], output_refs: [object('v1'), object('*')] },
    1,
  ),
};

describe('the SQL for calls', () => {
  it('is what the golden file has', () => {
    expectGolden('apps/query/src/calls/calls.golden.sql', printedSql(statements));
  });

  it('has the same text whatever values the caller sends', () => {
    const value = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom("'", '{p0:String}', '--'),
    );
    const exact = value.filter((text) => !text.endsWith(':*'));
    const someOf = (one: fc.Arbitrary<string>) => fc.array(one, { minLength: 1, maxLength: 2 });
    const filter = fc.record({
      op_names: someOf(exact),
      input_refs: someOf(exact),
      output_refs: someOf(exact.map((text) => `${text}:*`)),
      parent_ids: someOf(value),
      trace_ids: someOf(value),
      call_ids: someOf(value),
      thread_ids: someOf(value),
      turn_ids: someOf(value),
      wb_user_ids: someOf(value),
      wb_run_ids: someOf(value),
    });
    const plain: CallsFilter = {
      op_names: ['x'],
      input_refs: ['x'],
      output_refs: ['x:*'],
      parent_ids: ['x'],
      trace_ids: ['x'],
      call_ids: ['x'],
      thread_ids: ['x'],
      turn_ids: ['x'],
      wb_user_ids: ['x'],
      wb_run_ids: ['x'],
    };
    const text = (query: Sql) => query.render().query;

    fc.assert(
      fc.property(value, filter, fc.nat(), (id, requested, limit) => {
        expect(text(counted(id, requested, limit))).toBe(text(counted('x', plain, 1)));
        expect(text(readOne(id, id))).toBe(text(readOne('x', 'x')));
        expect(text(traceSizes(id, [id]))).toBe(text(traceSizes('x', ['x'])));
      }),
    );
  });

  it('filters by project first in every statement', () => {
    for (const query of Object.values(statements)) {
      expect(query.render().query).toMatch(/WHERE project_id = \{p\d+:String\}/);
    }
  });
});
