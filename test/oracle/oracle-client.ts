import { KEYS, OPS, REFS, TEXTS, USERS, type Random } from './oracle-cases.js';
import type { SentCall } from './oracle-call.js';

type Json = any;

const STATIC = [
  ...[
    'id',
    'trace_id',
    'parent_id',
    'thread_id',
    'op_name',
    'display_name',
    'exception',
    'wb_run_id',
  ],
  ...['project_id', 'turn_id', 'wb_user_id', 'wb_run_step', 'wb_run_step_end', 'otel_dump'],
  ...['started_at', 'ended_at', 'deleted_at', 'expire_at', 'input_refs', 'output_refs'],
  ...[
    'summary.weave.status',
    'summary.weave.latency_ms',
    'summary.weave.trace_name',
    'feedback.[*].payload.value',
    'feedback.[*].runnable_ref',
    'feedback.[wandb.runnable.judge].trigger_ref',
  ],
];
const PAYLOADS = ['inputs', 'output', 'attributes', 'summary', 'otel_dump'];
const FILTERS = [
  ...['op_names', 'trace_ids', 'call_ids', 'parent_ids', 'thread_ids', 'turn_ids'],
  ...['input_refs', 'output_refs', 'wb_user_ids', 'wb_run_ids', 'trace_roots_only'],
];
const LITERALS = [
  0,
  1,
  -3,
  1.5,
  1000,
  250,
  0.1,
  2 ** 53,
  2 ** 53 + 2,
  12345678901234567000,
  1e300,
  true,
  false,
  null,
];

/** Generates requests about those calls; most use values that the calls have. */
export class OracleClient {
  private readonly texts: readonly string[];

  constructor(
    private readonly random: Random,
    calls: readonly SentCall[],
  ) {
    const { random: d } = this;
    const some = d.many(6, 6, () => d.of(calls));
    this.texts = [
      ...some.flatMap((c) => [
        c.id,
        c.trace_id,
        c.op_name,
        c.parent_id ?? 'x',
        c.turn_id ?? 'x',
        c.display_name ?? '',
        ...c.feedback.flatMap(({ runnable_ref }) => runnable_ref ?? []),
      ]),
      ...USERS,
      some[0]!.project_id,
    ];
  }

  request(): Json {
    const { random } = this;
    return {
      ...(random.chance(0.35) ? { filter: this.filter() } : {}),
      ...(random.chance(0.85) ? { query: { $expr: this.operation(3) } } : {}),
      ...(random.chance(0.5) ? { sort_by: random.many(1, 2, () => this.sortBy()) } : {}),
      ...(random.chance(0.4) ? { limit: random.of([0, 1, 2, 5, 20, 1000]) } : {}),
      ...(random.chance(0.3) ? { offset: random.of([0, 1, 3, 30, 500]) } : {}),
    };
  }

  /** Most filters have one condition, some have two or three. */
  private filter(): Json {
    const { random } = this;
    const keys = random.many(1, random.chance(0.4) ? 3 : 1, () => random.of(FILTERS));
    return Object.assign({}, ...keys.map((key) => this.conditionBy(key)));
  }

  private conditionBy(key: string): Json {
    const { random } = this;
    switch (key) {
      case 'trace_roots_only':
        return { trace_roots_only: random.chance(0.7) };
      case 'op_names':
        return {
          op_names: random.many(0, 2, () =>
            random.of([...OPS, 'weave:///acme/demo/op/response:*']),
          ),
        };
      case 'input_refs':
      case 'output_refs':
        return {
          [key]: random.many(0, 2, () => random.of([...REFS, 'weave:///acme/demo/object/m:*'])),
        };
      case 'wb_user_ids':
        return { wb_user_ids: random.many(0, 2, () => random.of([...USERS, 'eve'])) };
      case 'wb_run_ids':
        return { wb_run_ids: random.many(0, 2, () => random.of(['r1', 'r2', 'acme/demo/r1'])) };
      default:
        return {
          [key]: random.chance(0.1)
            ? null
            : random.many(0, 3, () => random.of([...this.texts, 'th1', 'tu1', 't2', 'c3'])),
        };
    }
  }

  private sortBy(): Json {
    const field = this.random.chance(0.5)
      ? this.path()
      : this.random.of(STATIC.filter((one) => !/put_refs$/.test(one)));
    return { field, direction: this.random.of(['asc', 'desc']) };
  }

  private operation(depth: number): Json {
    const { random } = this;
    if (depth > 0 && random.chance(0.35)) {
      const operator = random.of(['$and', '$or', '$not']);
      const count = operator === '$not' ? 1 : 1 + random.below(3);
      return { [operator]: random.many(count, count, () => this.condition(depth - 1)) };
    }
    if (random.chance(0.2)) return this.contains(depth);
    if (random.chance(0.25))
      return { $in: [this.field(), random.many(0, 4, () => this.literal())] };
    const sides = [this.operand(depth), random.chance(0.85) ? this.literal() : this.operand(depth)];
    if (random.chance(0.15)) sides.reverse();
    return { [random.of(['$eq', '$eq', '$eq', '$gt', '$gte', '$lt', '$lte'])]: sides };
  }

  private condition(depth: number): Json {
    return this.random.chance(0.1) ? this.operand(depth) : this.operation(depth);
  }

  private contains(depth: number): Json {
    const { random } = this;
    const substr = random.chance(0.9)
      ? { $literal: random.chance(0.5) ? this.piece() : random.of(TEXTS) }
      : this.operand(depth);
    return {
      $contains: {
        input: this.field(),
        substr,
        ...(random.chance(0.4) ? { case_insensitive: true } : {}),
      },
    };
  }

  private piece(): string {
    const text = [...this.random.of([...TEXTS, ...this.texts])];
    const from = this.random.below(text.length + 1);
    return text.slice(from, from + 1 + this.random.below(3)).join('');
  }

  private operand(depth: number): Json {
    const { random } = this;
    if (random.chance(0.1)) return { $size: this.field() };
    if (random.chance(0.2)) {
      const input = random.chance(0.8)
        ? { $getField: this.path() }
        : { $getField: random.of(STATIC) };
      return { $convert: { input, to: random.of(['double', 'int', 'string', 'bool', 'exists']) } };
    }
    if (depth > 0 && random.chance(0.05)) return this.operation(depth - 1);
    return random.chance(0.9) ? this.field() : this.literal();
  }

  private field(): Json {
    return { $getField: this.random.chance(0.65) ? this.path() : this.random.of(STATIC) };
  }

  private path(): string {
    const { random } = this;
    if (random.chance(0.05)) return this.feedbackPath();
    const keys = random.many(random.chance(0.1) ? 0 : 1, 3, () =>
      random.of([...KEYS, 'a', 'b', 'list', '0', '1', '2']),
    );
    const escaped = keys.map((key) => key.replace(/[.\\]/g, '\\$&'));
    return [random.of([...PAYLOADS, 'inputs', 'inputs']), ...escaped].join('.');
  }

  private feedbackPath(): string {
    const { random } = this;
    const type = random.of([
      'wandb.note.1',
      'score',
      'wandb.runnable.judge',
      '*',
      'an.unused.type',
    ]);
    if (random.chance(0.2))
      return `feedback.[${type}].${random.of(['runnable_ref', 'trigger_ref'])}`;
    const key = random.of(['note', 'value', 'value', 'output', '', ...KEYS.slice(0, 4)]);
    return `feedback.[${type}].payload${key && `.${key.replace(/[.\\]/g, '\\$&')}`}`;
  }

  private literal(): Json {
    const { random } = this;
    if (random.chance(0.1))
      return {
        $literal: random.of(['2026-03-01', '2026-03-01T00:00:07Z', 1772323205, 1772323205.5]),
      };
    if (random.chance(0.2)) return { $literal: random.of(this.texts) };
    if (random.chance(0.1))
      return { $literal: random.of(['success', 'error', 'running', 'descendant_error', ...REFS]) };
    return { $literal: random.chance(0.5) ? random.of(TEXTS) : random.of(LITERALS) };
  }
}
