import fc from 'fast-check';
import type { Sql } from '@app/clickhouse';
import type { CallsQueryRequest } from '@app/contracts';
import { ExprError } from '@app/query-language';
import { callsReaderOf } from '../../../test/support/calls-reader.js';
import { malformed } from '../../../test/support/malformed-queries.js';
import { CallFields } from './calls/call-fields.js';
import { callsQuery } from './calls/calls-query.js';
import { COST_FIELD_MAP } from './costs/cost-fields.js';
import { CostsReader } from './costs/costs.reader.js';
import { FEEDBACK_FIELDS } from './feedback/feedback-fields.js';
import { FeedbackReader } from './feedback/feedback.reader.js';
import type { RetentionReader } from './projects/retention.reader.js';
import type { QueryExecutor } from './query-executor.js';
import type { ReadContext } from './read-context.js';
import { recordsQuery } from './records-query.js';

/** Records the text of every statement that the readers of calls, feedback and prices execute. */
class StatementRecorder {
  readonly texts: string[] = [];
  private readonly executor: QueryExecutor;
  private readonly context = { principal: { role: 'read' } } as unknown as ReadContext;

  /** With `isUndecided`, leaves alone do not decide any query, so payloads are read. */
  constructor(isUndecided: boolean) {
    const rows = async (statement: Sql) => {
      const { query } = statement.render();
      this.texts.push(query);
      return isUndecided && query.includes(' AS found ') ? [{ found: 1 }] : [];
    };
    const stream = async function* (query: Sql) {
      yield await rows(query);
    };
    const resumable = async function* (query: Sql) {
      yield await rows(query);
      return true;
    };
    this.executor = { rows, stream, resumable } as unknown as QueryExecutor;
  }

  async calls(request: CallsQueryRequest): Promise<void> {
    const { executor, context } = this;
    const retention = {
      cached: async () => 30,
      cutoff: async () => 1_772_000_000_000_000,
    } as unknown as RetentionReader;
    const reader = callsReaderOf(executor, retention);
    for await (const _ of reader.query(request, context)) continue;
    await reader.stats(request, context);
    await reader.read({ ...request, id: request.project_id }, context);
  }

  async feedback(request: object): Promise<void> {
    const { executor, context } = this;
    const whole = { project_id: 'acme/demo', ...request };
    for await (const _ of new FeedbackReader(executor).query(whole, context)) continue;
  }

  async costs(request: object): Promise<void> {
    const { executor, context } = this;
    await new CostsReader(executor).query({ project_id: 'acme/demo', ...request }, context);
  }
}

/** Marks every value of a request, so that it can be found in a statement. */
const MARK = 'zq';
const marked = fc
  .oneof(fc.string({ unit: 'binary' }), fc.constantFrom("'", '{p0:String}', "' OR 1=1 --", '`"\\'))
  .map((text) => `${MARK}${text}${MARK}`);
const key = marked.map((text) => text.replace(/[.\\]/g, '\\$&'));

const field = (path: string) => ({ $getField: path });
const literal = (value: unknown) => ({ $literal: value });

/** Each operator once, on this field. */
const everyOperator = (path: string, value: string) => [
  { $eq: [field(path), literal(value)] },
  { $gte: [field(path), literal(value)] },
  { $not: [{ $lt: [field(path), literal(value)] }] },
  { $in: [field(path), [literal(value), literal(`${value}2`)]] },
  { $contains: { input: field(path), substr: literal(value) } },
  { $contains: { input: field(path), substr: literal(value), case_insensitive: true } },
  { $eq: [{ $convert: { input: field(path), to: 'string' } }, literal(value)] },
  { $eq: [{ $convert: { input: field(path), to: 'int' } }, { $size: field(path) }] },
];

/** A refused request executes nothing; any error but ExprError is a defect. */
async function unlessRefused(read: Promise<void>): Promise<void> {
  await read.catch((error: unknown) => {
    if (!(error instanceof ExprError)) throw error;
  });
}

const expectNoMark = ({ texts }: StatementRecorder) => {
  expect(texts.length).toBeGreaterThan(0);
  for (const text of texts) expect(text).not.toContain(MARK);
};

describe('values of a request never become SQL text', () => {
  const paths = fc
    .tuple(
      fc.constantFrom('inputs', 'output', 'attributes', 'summary', 'otel_dump', 'op_name', 'id'),
      key,
      marked.map((text) => text.replace(/\]/g, '')),
    )
    .chain(([name, inner, type]) =>
      fc.constantFrom(
        ...(['op_name', 'id'].includes(name) ? [name] : [name, `${name}.${inner}`]),
        `feedback.[${type}].payload.${inner}`,
        `feedback.[*].payload.${inner}`,
        `feedback.[${type}].runnable_ref`,
      ),
    );

  it('in queries for calls: filters, values, paths, feedback types, sort keys, columns and expanded columns', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({ path: paths, inner: key, value: marked, isUndecided: fc.boolean() }),
        async ({ path, inner, value, isUndecided }) => {
          const project_id = `${MARK}/demo`;
          const request: CallsQueryRequest = {
            project_id,
            filter: { op_names: [value, `${value}:*`], call_ids: [value], wb_run_ids: [value] },
            query: { $expr: { $and: everyOperator(path, value) } },
            sort_by: [
              { field: path, direction: 'asc' },
              { field: `inputs.${inner}`, order: 'desc' },
            ],
            columns: [`inputs.${inner}`, `summary.${inner}`],
            expand_columns: [`inputs.${inner}`, `inputs.${inner}.${inner}`],
            limit: 5,
            offset: 1,
          };
          const recorder = new StatementRecorder(isUndecided);

          await recorder.calls(request);
          await recorder.calls({ ...request, limit: null, offset: null, sort_by: null });

          expectNoMark(recorder);
        },
      ),
      { numRuns: 150 },
    );
  });

  it('in queries for feedback and prices', async () => {
    await fc.assert(
      fc.asyncProperty(key, marked, fc.boolean(), async (inner, value, isUndecided) => {
        const recorder = new StatementRecorder(isUndecided);
        for (const path of [`payload.${inner}`, `scorer_ratings.${inner}`, 'weave_ref']) {
          await recorder.feedback({
            fields: ['id', path],
            query: { $expr: { $and: everyOperator(path, value) } },
            sort_by: [{ field: path, order: 'asc' }],
          });
        }
        await recorder.costs({
          query: { $expr: { $or: everyOperator('llm_id', value) } },
          sort_by: [{ field: 'llm_id', order: 'asc' }],
        });
        expectNoMark(recorder);

        await unlessRefused(recorder.calls({ project_id: 'acme/demo', columns: [value] }));
        await unlessRefused(recorder.feedback({ fields: [value] }));
        await unlessRefused(recorder.costs({ fields: [value] }));
        await unlessRefused(recorder.costs({ sort_by: [{ field: value, order: 'asc' }] }));
        expectNoMark(recorder);
      }),
      { numRuns: 50 },
    );
  });
});

describe('twenty thousand malformed queries', () => {
  it('for calls, feedback and prices compile or are refused with a location, and never fail otherwise', () => {
    const project_id = 'acme/demo';
    const compile = [
      (query: object) => callsQuery({ project_id, query }, new CallFields(project_id)).where,
      (query: object) => recordsQuery({ query }, FEEDBACK_FIELDS).where,
      (query: object) => recordsQuery({ query }, COST_FIELD_MAP).where,
    ];
    const outcomes = new Set<string>();
    fc.assert(
      fc.property(malformed, fc.nat(2), ($expr, which) => {
        try {
          compile[which]!({ $expr })!.render();
          outcomes.add(`compiled ${which}`);
        } catch (error) {
          expect(error).toBeInstanceOf(ExprError);
          const { at, refusal } = error as ExprError;
          expect(at[0]).toBe('query');
          outcomes.add(`${refusal} ${which}`);
        }
      }),
      { numRuns: 20_000 },
    );
    expect([...outcomes].sort()).toEqual(
      ['compiled', 'shape', 'value'].flatMap((one) => [0, 1, 2].map((which) => `${one} ${which}`)),
    );
  });
});
