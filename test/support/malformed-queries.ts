import fc from 'fast-check';

const field = (path: string) => ({ $getField: path });
const literal = (value: unknown) => ({ $literal: value });

const junk = fc.oneof(
  fc.string(),
  fc.integer(),
  fc.constant(null),
  fc.boolean(),
  fc.constant({}),
  fc.constant([]),
);
const operator = fc.constantFrom(
  ...['$and', '$or', '$not', '$eq', '$gt', '$gte', '$lt', '$lte', '$in', '$contains'],
  ...['$getField', '$literal', '$convert', '$size'],
  ...['$ne', 'input', 'substr', 'to', '__proto__', 'constructor', ''],
);
/** Fields of calls, of feedback, of prices, and names that are no field. */
const named = fc.constantFrom(
  ...['id', 'started_at', 'expire_at', 'inputs', 'inputs.a', 'inputs.-1', 'output_refs'],
  ...['otel_dump', 'summary.weave.latency_ms', 'summary.weave.status', 'wb_run_step'],
  ...['feedback.[*].payload.a', 'feedback.[x].runnable_ref', 'feedback.[x].nothing', 'feedback.[]'],
  ...['annotation_queue_items.queue_id', 'storage_size_bytes'],
  ...['payload.a', 'scorer_tags', 'scorer_ratings.a', 'created_at', 'weave_ref'],
  ...['llm_id', 'prompt_token_cost', 'effective_date', 'nothing', '', '.', 'constructor'],
);
const value = fc.constantFrom(1, 0.5, '', 'x', true, null, '2026-03-01', {}, []);

/** Values of `$expr` that resemble the query language; few of them are valid expressions. */
export const { malformed } = fc.letrec<{ malformed: unknown }>((tie) => ({
  malformed: fc.oneof(
    { maxDepth: 5 },
    junk,
    fc.array(tie('malformed'), { maxLength: 3 }),
    fc.dictionary(operator, tie('malformed'), { maxKeys: 2 }),
    named.map(field),
    value.map(literal),
    fc
      .tuple(fc.constantFrom('$eq', '$gt', '$gte', '$lt', '$lte'), tie('malformed'), named, value)
      .map(([by, inner, name, one]) => ({ [by]: [field(name), inner ?? literal(one)] })),
  ),
}));
