import type { SentCall } from './oracle-call.js';
import type { SentFeedback } from './oracle-feedback.js';

/** A generator of random numbers and choices that repeats with its seed. */
export class Random {
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
/** The first is the user of the tests' key. The calls of the other are sent with another key. */
export const USERS = ['ann', 'bob'] as const;
const START = Date.UTC(2026, 2, 1) * 1000;

/** Calls with all kinds of values that have caused errors. */
export function someCalls(random: Random, count: number, project_id: string): SentCall[] {
  return Array.from({ length: count }, (_, i) => someCall(random, i, project_id));
}

function someCall(random: Random, i: number, project_id: string): SentCall {
  const hasEnded = random.chance(0.75);
  const started_at = START + random.below(20) * 1_000_000 + random.of([0, 0, 1, 999_999]);
  const inputs = someObject(random, 3);
  const output = !hasEnded || random.chance(0.1) ? null : someJson(random, 2);
  return {
    id: `c${i}-${random.below(1e6)}`,
    project_id,
    trace_id: `t${random.below(5)}`,
    parent_id: random.chance(0.5) ? null : `c${random.below(6)}`,
    thread_id: random.chance(0.6) ? null : `th${random.below(3)}`,
    turn_id: random.chance(0.6) ? null : `tu${random.below(3)}`,
    op_name: random.of(OPS),
    display_name: random.of([null, ...NAMES]),
    started_at,
    ended_at: hasEnded
      ? started_at + random.of([0, 1, 999, 1000, 1500, 250_000, 61_000_000])
      : null,
    exception: hasEnded && random.chance(0.25) ? random.of(['boom', 'time out', '%']) : null,
    wb_user_id: random.of(USERS),
    wb_run_id: random.chance(0.7) ? null : random.of(['acme/demo/r1', `${project_id}/r1`]),
    wb_run_step: random.chance(0.6) ? null : random.below(4),
    wb_run_step_end: !hasEnded || random.chance(0.6) ? null : random.below(4),
    attributes: someObject(random, 1),
    inputs,
    otel_dump: random.chance(0.8) ? null : someObject(random, 2),
    output,
    summary: hasEnded
      ? random.of([
          '{}',
          '{"status_counts":{"error":1}}',
          '{"usage":{"gpt.4":{"n":1.0}}}',
          someObject(random, 2),
        ])
      : null,
    input_refs: REFS.filter((ref) => strings(inputs).has(ref)),
    output_refs: REFS.filter((ref) => strings(output ?? 'null').has(ref)),
    feedback: random.chance(0.4) ? random.many(1, 3, () => someFeedback(random, project_id)) : [],
  };
}

/** Notes, of which any may match, and scores, of which the newest counts. Those of a scorer have refs. */
function someFeedback(random: Random, project_id: string): SentFeedback {
  const rest = someObject(random, 2).slice(1);
  const comma = rest.trim() === '}' ? '' : ',';
  if (random.chance(0.3)) {
    const ref = (kind: string) => `weave:///${project_id}/${kind}:v${1 + random.below(2)}`;
    return {
      type: 'wandb.runnable.judge',
      payload: `{"output":${someJson(random, 1)}${comma}${rest}`,
      runnable_ref: ref('object/judge'),
      ...(random.chance(0.5) ? { trigger_ref: ref('object/monitor') } : {}),
    };
  }
  return random.chance(0.5)
    ? {
        type: 'wandb.note.1',
        payload: `{"note":${JSON.stringify(random.of(TEXTS.filter(Boolean)))}${comma}${rest}`,
      }
    : { type: 'score', payload: `{"value":${someJson(random, 1)}${comma}${rest}` };
}

/** All string values in the JSON. */
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

function someObject(random: Random, depth: number): string {
  const space = random.of(['', '', ' ', '\n  ']);
  const members = random.many(
    0,
    4,
    () => `${someKey(random)}${space}:${space}${someJson(random, depth - 1)}`,
  );
  return `{${space}${members.join(`${space},${space}`)}${space}}`;
}

function someKey(random: Random): string {
  const key = JSON.stringify(random.of(KEYS));
  return random.chance(0.1) ? key.replace('a', '\\u0061') : key;
}

function someJson(random: Random, depth: number): string {
  if (depth > 0 && random.chance(0.35)) return someObject(random, depth);
  if (depth > 0 && random.chance(0.3))
    return `[${random.many(0, 3, () => someJson(random, depth - 1)).join(random.of([',', ' , ']))}]`;
  if (random.chance(0.08)) return JSON.stringify(random.of(REFS));
  if (random.chance(0.4)) return random.of(NUMBERS);
  if (random.chance(0.25)) return random.of(['true', 'false', 'null']);
  const text = JSON.stringify(random.of(TEXTS));
  return random.chance(0.1)
    ? text.replace(/[a-z]/, (c) => `\\u00${c.charCodeAt(0).toString(16)}`.replace('\\\\', '\\'))
    : text;
}
