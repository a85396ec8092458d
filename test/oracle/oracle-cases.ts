import type { SentCall } from './oracle-call.js';
import type { SentFeedback } from './oracle-feedback.js';

/** A source of chance that gives the same again for the same seed. */
export class Dice {
  constructor(private state: number) {}

  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }
  below = (count: number): number => Math.floor(this.next() * count);
  chance = (share: number): boolean => this.next() < share;
  of = <T>(list: readonly T[]): T => list[this.below(list.length)]!;
  many = <T>(least: number, most: number, make: () => T): T[] =>
    Array.from({ length: least + this.below(most - least + 1) }, make);
}

type Json = any;

const LONG = 'x'.repeat(280);
export const TEXTS = [
  ...[
    '',
    'a',
    'A',
    'ab',
    'abc',
    'null',
    'true',
    'false',
    '0',
    '1',
    '1.0',
    '01',
    ' 1',
    '1e3',
    '-5',
    'nan',
    'inf',
    '0x10',
  ],
  ...[
    '%',
    '_',
    'a%c',
    'a_c',
    "O'Brien",
    '"q"',
    '\\',
    'C:\\x',
    'a\\"b',
    '{p:String}',
    '{p0:String}',
    '/',
    'a/b',
  ],
  ...[
    'ключ',
    'КЛЮЧ',
    'é',
    'É',
    '日本',
    '😀',
    '\ud800',
    'line\nbreak',
    'tab\t',
    'nul\0nul',
    '{"a":1}',
    '[1, 2]',
    '--',
    ';',
  ],
  ...[LONG, `${LONG}é"`, "'; DROP TABLE calls; --", '${x}', '9007199254740993'],
];
const NUMBERS = [
  ...[
    '0',
    '-0',
    '1',
    '1.0',
    '1.5',
    '-3',
    '1e3',
    '1000',
    '0.1',
    '1e-7',
    '1E+2',
    '9007199254740991',
    '9007199254740992',
  ],
  ...[
    '9007199254740993',
    '12345678901234567890',
    '12345678901234567891',
    '123456789012345678901234567890',
    '1e400',
  ],
  ...['9223372036854775807', '9223372036854775808', '-9223372036854775808'],
];
const KEYS = [
  'a',
  'b',
  'a.b',
  'a\\b',
  '0',
  '1',
  'ключ',
  'x y',
  'é',
  '"',
  'a/b',
  'n',
  'list',
  'constructor',
  'usage',
  '',
];
const REFS = [
  'weave:///acme/demo/object/m:v1',
  'weave:///acme/demo/object/m:v2',
  'weave:///acme/demo/object/n:v1',
];
const OPS = [
  'summarise',
  'translate',
  'weave:///acme/demo/op/answer:v1',
  'weave:///acme/demo/op/answer:v2',
  '%',
  "o'p",
];
const NAMES = ['', 'shown', 'Shown', "it's", '100%', 'имя'];
/** The first one is whoever the tests are; calls of the other are sent with a key of its own. */
export const USERS = ['ann', 'bob'] as const;
const START = Date.UTC(2026, 2, 1) * 1000;

/** Calls with everything that has ever been hard about a value. */
export function someCalls(dice: Dice, count: number, project_id: string): SentCall[] {
  return Array.from({ length: count }, (_, i) => someCall(dice, i, project_id));
}

function someCall(dice: Dice, i: number, project_id: string): SentCall {
  const hasEnded = dice.chance(0.75);
  const started_at = START + dice.below(20) * 1_000_000 + dice.of([0, 0, 1, 999_999]);
  const inputs = someObject(dice, 3);
  const output = !hasEnded || dice.chance(0.1) ? null : someJson(dice, 2);
  return {
    id: `c${i}-${dice.below(1e6)}`,
    project_id,
    trace_id: `t${dice.below(5)}`,
    parent_id: dice.chance(0.5) ? null : `c${dice.below(6)}`,
    thread_id: dice.chance(0.6) ? null : `th${dice.below(3)}`,
    turn_id: dice.chance(0.6) ? null : `tu${dice.below(3)}`,
    op_name: dice.of(OPS),
    display_name: dice.of([null, ...NAMES]),
    started_at,
    ended_at: hasEnded ? started_at + dice.of([0, 1, 999, 1000, 1500, 250_000, 61_000_000]) : null,
    exception: hasEnded && dice.chance(0.25) ? dice.of(['boom', 'time out', '%']) : null,
    wb_user_id: dice.of(USERS),
    wb_run_id: dice.chance(0.7) ? null : dice.of(['acme/demo/r1', `${project_id}/r1`]),
    wb_run_step: dice.chance(0.6) ? null : dice.below(4),
    wb_run_step_end: !hasEnded || dice.chance(0.6) ? null : dice.below(4),
    attributes: someObject(dice, 1),
    inputs,
    otel_dump: dice.chance(0.8) ? null : someObject(dice, 2),
    output,
    summary: hasEnded
      ? dice.of([
          '{}',
          '{"status_counts":{"error":1}}',
          '{"usage":{"gpt.4":{"n":1.0}}}',
          someObject(dice, 2),
        ])
      : null,
    input_refs: REFS.filter((ref) => strings(inputs).has(ref)),
    output_refs: REFS.filter((ref) => strings(output ?? 'null').has(ref)),
    feedback: dice.chance(0.4) ? dice.many(1, 3, () => someFeedback(dice, project_id)) : [],
  };
}

/** Notes, of which any counts, and scores, of which the newest does; those of a scorer have refs. */
function someFeedback(dice: Dice, project_id: string): SentFeedback {
  const rest = someObject(dice, 2).slice(1);
  const comma = rest.trim() === '}' ? '' : ',';
  if (dice.chance(0.3)) {
    const ref = (kind: string) => `weave:///${project_id}/${kind}:v${1 + dice.below(2)}`;
    return {
      type: 'wandb.runnable.judge',
      payload: `{"output":${someJson(dice, 1)}${comma}${rest}`,
      runnable_ref: ref('object/judge'),
      ...(dice.chance(0.5) ? { trigger_ref: ref('object/monitor') } : {}),
    };
  }
  return dice.chance(0.5)
    ? {
        type: 'wandb.note.1',
        payload: `{"note":${JSON.stringify(dice.of(TEXTS.filter(Boolean)))}${comma}${rest}`,
      }
    : { type: 'score', payload: `{"value":${someJson(dice, 1)}${comma}${rest}` };
}

/** The strings that JSON.parse would find as values. */
function strings(
  json: string,
  value: unknown = JSON.parse(json),
  found = new Set<string>(),
): Set<string> {
  if (typeof value === 'string') found.add(value);
  else if (value !== null && typeof value === 'object') {
    for (const one of Object.values(value)) strings('', one, found);
  }
  return found;
}

function someObject(dice: Dice, depth: number): string {
  const space = dice.of(['', '', ' ', '\n  ']);
  const members = dice.many(
    0,
    4,
    () => `${someKey(dice)}${space}:${space}${someJson(dice, depth - 1)}`,
  );
  return `{${space}${members.join(`${space},${space}`)}${space}}`;
}

function someKey(dice: Dice): string {
  const key = JSON.stringify(dice.of(KEYS));
  return dice.chance(0.1) ? key.replace('a', '\\u0061') : key;
}

function someJson(dice: Dice, depth: number): string {
  if (depth > 0 && dice.chance(0.35)) return someObject(dice, depth);
  if (depth > 0 && dice.chance(0.3))
    return `[${dice.many(0, 3, () => someJson(dice, depth - 1)).join(dice.of([',', ' , ']))}]`;
  if (dice.chance(0.08)) return JSON.stringify(dice.of(REFS));
  if (dice.chance(0.4)) return dice.of(NUMBERS);
  if (dice.chance(0.25)) return dice.of(['true', 'false', 'null']);
  const text = JSON.stringify(dice.of(TEXTS));
  return dice.chance(0.1)
    ? text.replace(/[a-z]/, (c) => `\\u00${c.charCodeAt(0).toString(16)}`.replace('\\\\', '\\'))
    : text;
}

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
export class Asker {
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
          op_names: dice.many(0, 2, () => dice.of([...OPS, 'weave:///acme/demo/op/answer:*'])),
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
