import { bind, raw, sql, type Sql } from '@app/clickhouse';
import { compileExpr, parseQuery } from '@app/query-language';
import { expectGolden, printedSql } from '../../../test/support/golden.js';
import { CallFields } from './calls/call-fields.js';
import { COST_FIELD_MAP } from './costs/cost-fields.js';
import { queryCosts } from './costs/costs.reader.js';
import { FEEDBACK_FIELDS } from './feedback/feedback-fields.js';
import { responseFields } from './feedback/feedback-record.js';
import { queryFeedback } from './feedback/feedback.sql.js';
import { recordsQuery } from './records-query.js';

const project = 'acme/demo';
const field = (path: string) => ({ $getField: path });
const literal = (value: unknown) => ({ $literal: value });
const converted = (path: string, to: string) => ({ $convert: { input: field(path), to } });
const query = ($expr: object) => ({ $expr });

/** The exact condition alone; calls.golden.sql has whole statements. */
function calls($expr: object): Sql {
  const fields = new CallFields(project, { retentionDays: 30 });
  const where = compileExpr(parseQuery({ $expr }), fields);
  return sql`SELECT id FROM calls WHERE project_id = ${bind('String', project)} AND ${where}`;
}

const statements: Readonly<Record<string, Sql>> = {
  'calls that are not hot, as far as that is known': calls({
    $not: [{ $gt: [field('inputs.temperature'), literal(0.8)] }],
  }),
  ...Object.fromEntries(
    ['double', 'int', 'bool', 'string', 'exists'].map((to) => [
      `a value of a payload as ${to}`,
      calls({ $eq: [converted('inputs.a', to), literal(to === 'string' ? '1' : 1)] }),
    ]),
  ),
  'a timestamp as a number and as text': calls({
    $or: [
      { $gt: [converted('ended_at', 'double'), literal(1.5)] },
      { $eq: [converted('ended_at', 'int'), literal(1)] },
      { $contains: { input: converted('ended_at', 'string'), substr: literal('T10:') } },
    ],
  }),
  'how long a text, a list, and a value of either kind are': calls({
    $or: ['op_name', 'input_refs', 'output.rows'].map((path) => ({
      $gt: [{ $size: field(path) }, literal(3)],
    })),
  }),
  'one of these texts, of these numbers, and of both': calls({
    $and: [
      { $in: [field('op_name'), ['a', 'b', null].map(literal)] },
      { $in: [field('wb_run_step'), [1, 2].map(literal)] },
      { $in: [field('inputs.a'), ['a', 'b', 1, 2, true].map(literal)] },
    ],
  }),
  'without a parent, without an output': calls({
    $and: ['parent_id', 'output'].map((path) => ({ $eq: [field(path), literal(null)] })),
  }),
  'started within a day, ended, and soon gone': calls({
    $and: [
      { $gte: [field('started_at'), literal('2026-03-01')] },
      { $lt: [field('started_at'), literal(1772409600)] },
      { $not: [{ $eq: [field('ended_at'), literal(null)] }] },
      { $lte: [field('expire_at'), literal('2026-04-01T10:00:00Z')] },
    ],
  }),
  'a word, in capitals or not': calls({
    $contains: { input: field('inputs.a'), substr: literal('Word'), case_insensitive: true },
  }),
  'notes with a word, the newest first': queryFeedback(
    project,
    recordsQuery(
      {
        query: query({
          $and: [
            { $eq: [field('feedback_type'), literal('wandb.note.1')] },
            { $contains: { input: field('payload.note'), substr: literal('word') } },
          ],
        }),
        sort_by: [{ field: 'created_at', order: 'desc' }],
        limit: 10,
      },
      FEEDBACK_FIELDS,
    ),
    responseFields(['id', 'payload.note']),
  ),
  'expensive prices of a model': queryCosts(
    project,
    recordsQuery(
      {
        query: query({
          $and: [
            { $eq: [field('llm_id'), literal('a-model')] },
            { $gt: [field('prompt_token_cost'), literal(0.1)] },
          ],
        }),
      },
      COST_FIELD_MAP,
    ),
    [raw('llm_id')],
  ),
};

/** The definitions of functions are in calls.golden.sql. */
const withoutDefinitions = (text: string) => text.replaceAll(/^WITH\n[^]*?\n(?=SELECT )/gm, '');

it('compiles the query language to the SQL of the golden file', () => {
  expectGolden(
    'apps/query/src/query-language.golden.sql',
    withoutDefinitions(printedSql(statements)),
  );
});
