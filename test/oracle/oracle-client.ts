import { KEYS, OPS, REFS, TEXTS, USERS, type Dice } from './oracle-cases.js';
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

/** Requests about those calls: mostly about what is there, sometimes about what is not. */
export class OracleClient {
  private readonly texts: readonly string[];

  constructor(
    private readonly dice: Dice,
    calls: readonly SentCall[],
  ) {
    const { dice: d } = this;
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
    const { dice } = this;
    return {
      ...(dice.chance(0.35) ? { filter: this.filter() } : {}),
      ...(dice.chance(0.85) ? { query: { $expr: this.operation(3) } } : {}),
      ...(dice.chance(0.5) ? { sort_by: dice.many(1, 2, () => this.sortBy()) } : {}),
      ...(dice.chance(0.4) ? { limit: dice.of([0, 1, 2, 5, 20, 1000]) } : {}),
      ...(dice.chance(0.3) ? { offset: dice.of([0, 1, 3, 30, 500]) } : {}),
    };
  }

  /** Mostly one condition, sometimes two or three at once. */
  private filter(): Json {
    const { dice } = this;
    const keys = dice.many(1, dice.chance(0.4) ? 3 : 1, () => dice.of(FILTERS));
    return Object.assign({}, ...keys.map((key) => this.conditionBy(key)));
  }

  private conditionBy(key: string): Json {
    const { dice } = this;
    switch (key) {
      case 'trace_roots_only':
        return { trace_roots_only: dice.chance(0.7) };
      case 'op_names':
        return {
          op_names: dice.many(0, 2, () => dice.of([...OPS, 'weave:///acme/demo/op/response:*'])),
        };
      case 'input_refs':
      case 'output_refs':
        return {
          [key]: dice.many(0, 2, () => dice.of([...REFS, 'weave:///acme/demo/object/m:*'])),
        };
      case 'wb_user_ids':
        return { wb_user_ids: dice.many(0, 2, () => dice.of([...USERS, 'eve'])) };
      case 'wb_run_ids':
        return { wb_run_ids: dice.many(0, 2, () => dice.of(['r1', 'r2', 'acme/demo/r1'])) };
      default:
        return {
          [key]: dice.chance(0.1)
            ? null
            : dice.many(0, 3, () => dice.of([...this.texts, 'th1', 'tu1', 't2', 'c3'])),
        };
    }
  }

  private sortBy(): Json {
    const field = this.dice.chance(0.5)
      ? this.path()
      : this.dice.of(STATIC.filter((one) => !/put_refs$/.test(one)));
    return { field, direction: this.dice.of(['asc', 'desc']) };
  }

  private operation(depth: number): Json {
    const { dice } = this;
    if (depth > 0 && dice.chance(0.35)) {
      const operator = dice.of(['$and', '$or', '$not']);
      const count = operator === '$not' ? 1 : 1 + dice.below(3);
      return { [operator]: dice.many(count, count, () => this.condition(depth - 1)) };
    }
    if (dice.chance(0.2)) return this.contains(depth);
    if (dice.chance(0.25)) return { $in: [this.field(), dice.many(0, 4, () => this.literal())] };
    const sides = [this.operand(depth), dice.chance(0.85) ? this.literal() : this.operand(depth)];
    if (dice.chance(0.15)) sides.reverse();
    return { [dice.of(['$eq', '$eq', '$eq', '$gt', '$gte', '$lt', '$lte'])]: sides };
  }

  private condition(depth: number): Json {
    return this.dice.chance(0.1) ? this.operand(depth) : this.operation(depth);
  }

  private contains(depth: number): Json {
    const { dice } = this;
    const substr = dice.chance(0.9)
      ? { $literal: dice.chance(0.5) ? this.piece() : dice.of(TEXTS) }
      : this.operand(depth);
    return {
      $contains: {
        input: this.field(),
        substr,
        ...(dice.chance(0.4) ? { case_insensitive: true } : {}),
      },
    };
  }

  private piece(): string {
    const text = [...this.dice.of([...TEXTS, ...this.texts])];
    const from = this.dice.below(text.length + 1);
    return text.slice(from, from + 1 + this.dice.below(3)).join('');
  }

  private operand(depth: number): Json {
    const { dice } = this;
    if (dice.chance(0.1)) return { $size: this.field() };
    if (dice.chance(0.2)) {
      const input = dice.chance(0.8) ? { $getField: this.path() } : { $getField: dice.of(STATIC) };
      return { $convert: { input, to: dice.of(['double', 'int', 'string', 'bool', 'exists']) } };
    }
    if (depth > 0 && dice.chance(0.05)) return this.operation(depth - 1);
    return dice.chance(0.9) ? this.field() : this.literal();
  }

  private field(): Json {
    return { $getField: this.dice.chance(0.65) ? this.path() : this.dice.of(STATIC) };
  }

  private path(): string {
    const { dice } = this;
    if (dice.chance(0.05)) return this.feedbackPath();
    const keys = dice.many(dice.chance(0.1) ? 0 : 1, 3, () =>
      dice.of([...KEYS, 'a', 'b', 'list', '0', '1', '2']),
    );
    const escaped = keys.map((key) => key.replace(/[.\\]/g, '\\$&'));
    return [dice.of([...PAYLOADS, 'inputs', 'inputs']), ...escaped].join('.');
  }

  private feedbackPath(): string {
    const { dice } = this;
    const type = dice.of([
      'wandb.note.1',
      'score',
      'wandb.runnable.judge',
      '*',
      'nobody.gave.this',
    ]);
    if (dice.chance(0.2)) return `feedback.[${type}].${dice.of(['runnable_ref', 'trigger_ref'])}`;
    const key = dice.of(['note', 'value', 'value', 'output', '', ...KEYS.slice(0, 4)]);
    return `feedback.[${type}].payload${key && `.${key.replace(/[.\\]/g, '\\$&')}`}`;
  }

  private literal(): Json {
    const { dice } = this;
    if (dice.chance(0.1))
      return {
        $literal: dice.of(['2026-03-01', '2026-03-01T00:00:07Z', 1772323205, 1772323205.5]),
      };
    if (dice.chance(0.2)) return { $literal: dice.of(this.texts) };
    if (dice.chance(0.1))
      return { $literal: dice.of(['success', 'error', 'running', 'descendant_error', ...REFS]) };
    return { $literal: dice.chance(0.5) ? dice.of(TEXTS) : dice.of(LITERALS) };
  }
}
