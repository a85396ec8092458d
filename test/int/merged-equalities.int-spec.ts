import fc from 'fast-check';
import { bind, CALLS, sql } from '@app/clickhouse';
import { compileExpr, mergeEqualities, parseQuery, type Operation } from '@app/query-language';
import { foldCall } from '../../apps/worker/src/calls/call.projection.js';
import { CallFields } from '../../apps/query/src/calls/call-fields.js';
import { aFact } from '../support/facts.js';
import { openStore } from '../support/store.js';
import { aProject } from '../support/test-server.js';

const project = aProject();
const store = openStore();
const fields = new CallFields(project);

/** What a call may have at `inputs.v`. */
const STORED = [
  'a',
  'b',
  '',
  '1',
  'true',
  '-0',
  1,
  0,
  -0,
  1.5,
  true,
  false,
  null,
  [1],
  { a: 1 },
  undefined,
];

beforeAll(async () => {
  const calls = STORED.flatMap((v, i) =>
    ['a', ''].map((display_name, k) => {
      const item = { inputs: { v }, display_name };
      return foldCall([aFact('start', { projectId: project, callId: `call-${i}-${k}`, item })]);
    }),
  );
  await store.insert(CALLS, calls.flat());
});

afterAll(() => store.close());

const VALUE = fc.constantFrom(
  'a',
  'b',
  '',
  '1',
  'true',
  '{"a":1}',
  1,
  0,
  -0,
  1.5,
  true,
  false,
  null,
);
const field = ($getField: string) => ({ $getField });
const converted = (input: object, to: string) => ({ $convert: { input, to } });
const value = field('inputs.v');
const missing = { $literal: null };
const EQUALITY = fc.oneof(
  fc.tuple(fc.constantFrom(value, field('inputs.w')), VALUE),
  fc.tuple(fc.constant(field('display_name')), fc.constantFrom('a', 'b', '', null)),
  fc.tuple(fc.constant(field('summary.weave.latency_ms')), fc.constantFrom(0, 1, null)),
  fc.tuple(
    fc.constantFrom(converted(value, 'bool'), converted(value, 'exists'), { $size: value }),
    fc.constantFrom(0, -0, 1, 1.5, true, false, null),
  ),
  fc.tuple(
    fc.constantFrom(converted(value, 'double'), converted(value, 'int')),
    fc.constantFrom(0, -0, 1, 1.5, null),
  ),
  fc.tuple(
    fc.constantFrom(converted(value, 'string'), converted(missing, 'string')),
    fc.constantFrom('a', '1', '', null),
  ),
);
const { condition } = fc.letrec<{ condition: object }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    EQUALITY.map(([operand, $literal]) => ({ $eq: [operand, { $literal }] })),
    tie('condition').map((of) => ({ $not: [of] })),
    fc.array(tie('condition'), { minLength: 2, maxLength: 4 }).map(($or) => ({ $or })),
    fc.array(tie('condition'), { minLength: 2, maxLength: 4 }).map(($and) => ({ $and })),
  ),
}));

/** Of each call whether the condition holds, and whether its negation does; when neither does, it is unknown. */
async function outcomes(expr: Operation) {
  const not: Operation = { kind: 'not', at: [], of: expr };
  return store.rows<{ id: string; holds: boolean; fails: boolean }>(
    sql`SELECT id, toBool(${compileExpr(expr, fields)}) AS holds, toBool(${compileExpr(not, fields)}) AS fails
      FROM calls FINAL WHERE project_id = ${bind('String', project)} ORDER BY id`,
  );
}

it('merged equalities hold, fail and are unknown for the same calls', async () => {
  const isMerged = (expr: Operation) =>
    JSON.stringify(mergeEqualities(expr)) !== JSON.stringify(expr);
  const exprs = fc
    .sample(condition, 1000)
    .map(($expr) => parseQuery({ $expr }))
    .filter(isMerged)
    .slice(0, 25);

  const seen = new Set<string>();
  for (const expr of exprs) {
    const exact = await outcomes(expr);
    expect({ expr, rows: await outcomes(mergeEqualities(expr)) }).toEqual({ expr, rows: exact });
    for (const { holds, fails } of exact) seen.add(`${holds} ${fails}`);
  }

  expect(exprs).toHaveLength(25);
  expect([...seen].sort()).toEqual(['false false', 'false true', 'true false']);
});

it.each([
  ['a value', value],
  ['its size', { $size: value }],
  ['it as a boolean', converted(value, 'bool')],
  ['whether it is there', converted(value, 'exists')],
  ['it as a number', converted(value, 'double')],
  ['it as an integer', converted(value, 'int')],
  ['a number of the call', field('summary.weave.latency_ms')],
])('%s is in a list of numbers when it equals one of them', async (_, operand) => {
  const $or = [0, 1, 1.5].map(($literal) => ({ $eq: [operand, { $literal }] }));
  const expr = parseQuery({ $expr: { $or } });

  expect(await outcomes(mergeEqualities(expr))).toEqual(await outcomes(expr));
});
