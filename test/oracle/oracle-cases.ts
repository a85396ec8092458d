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
export const KEYS = [
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
export const REFS = [
  'weave:///acme/demo/object/m:v1',
  'weave:///acme/demo/object/m:v2',
  'weave:///acme/demo/object/n:v1',
];
export const OPS = [
  'summarise',
  'translate',
  'weave:///acme/demo/op/response:v1',
  'weave:///acme/demo/op/response:v2',
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
