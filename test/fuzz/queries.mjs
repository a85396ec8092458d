import { aNumber, anything, aString } from './values.mjs';

const FIELDS = [
  ...[
    'id',
    'project_id',
    'trace_id',
    'op_name',
    'started_at',
    'ended_at',
    'display_name',
    'parent_id',
    'exception',
  ],
  ...[
    'inputs',
    'inputs.x',
    'inputs.a.b.0.c',
    'output',
    'output.x',
    'attributes.y',
    'summary.weave.status',
  ],
  ...[
    'summary.weave.latency_ms',
    'summary.usage',
    'wb_user_id',
    'thread_id',
    'storage_size_bytes',
    'created_at',
  ],
  ...[
    'feedback.[wandb.note.1].payload.note',
    'feedback.[*].payload.x',
    'payload.a',
    'weave_ref',
    'llm_id',
  ],
];

const COMPARE = ['$eq', '$gt', '$gte', '$lt', '$lte', '$ne'];
const CASTS = ['double', 'string', 'int', 'bool', 'exists', 'date'];

const field = (random) => ({ $getField: random.chance(0.9) ? random.of(FIELDS) : aString(random) });

function operand(random, depth) {
  const kind = random.below(10);
  if (kind < 4) return field(random);
  if (kind < 7) return { $literal: random.chance(0.7) ? scalar(random) : anything(random, 2) };
  if (kind === 7 && depth > 0)
    return {
      $convert: { input: operand(random, depth - 1), to: random.of([...CASTS, aString(random)]) },
    };
  return depth > 0 ? expression(random, depth - 1) : { $literal: scalar(random) };
}

const scalar = (random) =>
  random.of([aString(random), aNumber(random), null, true, false, '2026-03-01', 1767225600]);

/** An expression that is valid or nearly valid in the query language. */
export function expression(random, depth = 4) {
  const next = () => operand(random, depth - 1);
  switch (random.below(10)) {
    case 0:
      return { $and: random.many(4, next) };
    case 1:
      return { $or: random.many(4, next) };
    case 2:
      return { $not: [next()] };
    case 3:
      return { $in: [field(random), random.many(5, () => ({ $literal: scalar(random) }))] };
    case 4:
      return {
        $contains: {
          input: next(),
          substr: { $literal: aString(random) },
          case_insensitive: random.of([true, false, null, 'yes']),
        },
      };
    case 5:
      return random.chance(0.2) ? anything(random) : { $exists: next() };
    default:
      return {
        [random.of(COMPARE)]: random.chance(0.95) ? [next(), next()] : random.many(4, next),
      };
  }
}

export const aQuery = (random) =>
  random.chance(0.95) ? { $expr: expression(random) } : anything(random);

export const aSort = (random) =>
  random.many(3, () => ({
    field: random.chance(0.9) ? random.of(FIELDS) : aString(random),
    direction: random.of(['asc', 'desc', 'asc', 'desc', 'up', null]),
  }));
