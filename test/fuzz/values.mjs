/** JSON text that is printed unchanged, because JSON.stringify cannot write it. */
export class Raw {
  constructor(text) {
    this.text = text;
  }
}

const STRINGS = [
  ...[
    '',
    ' ',
    'a',
    'null',
    'true',
    '0',
    '-1',
    '1e400',
    'NaN',
    '__proto__',
    'constructor',
    'toString',
  ],
  ...[
    'latest',
    'v0',
    'v99999999999999999999',
    '*',
    ':*',
    '..',
    '.',
    '/',
    '//',
    'a.b.c',
    'a/b/c',
    "'",
    '"',
  ],
  ...[
    '`',
    '\\',
    ';--',
    "' OR 1=1 --",
    '{p0:String}',
    '${x}',
    '%s',
    '%00',
    '\u0000',
    '\n',
    '\r\n',
    '\u202e',
  ],
  ...[
    '\ud800',
    '\udfff\ud800',
    '😀',
    'é',
    'ﷺ',
    '\uffff',
    'İ',
    '2026-03-01T10:00:00Z',
    '2026-02-30',
    '9999-12-31T23:59:59Z',
  ],
  ...[
    '0000-01-01',
    '+275760-09-13T00:00:00Z',
    'weave:///',
    'weave:///a/b/object/x:y',
    'weave:///a/b/op/f:*',
  ],
  ...[
    'weave:///fuzz/p/object/x:latest/attr/a/index/-1',
    'weave:///fuzz/p/table/x/id/y',
    'weave:///%',
    'count(*)',
  ],
];

const NUMBERS = [0, -0, 1, -1, 0.5, 2 ** 31, 2 ** 53, -(2 ** 63), 1e308, 5e-324].map(String);
const ODD_NUMBERS = [
  '1e400',
  '-1e400',
  '9'.repeat(40),
  `0.${'1'.repeat(60)}`,
  '1E+2',
  '18446744073709551616',
];

export const aString = (random) =>
  random.chance(0.7)
    ? random.of(STRINGS)
    : random
        .of(STRINGS)
        .repeat(1 + random.below(40))
        .slice(0, 300);

export function aNumber(random) {
  if (random.chance(0.5)) return random.below(100);
  return new Raw(random.of([...NUMBERS, ...ODD_NUMBERS]));
}

/** Any JSON value. */
export function anything(random, depth = 3) {
  const kind = random.below(depth > 0 ? 7 : 5);
  if (kind === 0) return null;
  if (kind === 1) return random.chance(0.5);
  if (kind === 2) return aNumber(random);
  if (kind <= 4) return aString(random);
  if (kind === 5) return random.many(4, () => anything(random, depth - 1));
  return Object.fromEntries(random.many(4, () => [aString(random), anything(random, depth - 1)]));
}

/** The JSON text of a value; a `Raw` part may make it invalid. */
export function print(value) {
  if (value instanceof Raw) return value.text;
  if (Array.isArray(value)) return `[${value.map(print).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}:${print(one)}`);
  return `{${members.join(',')}}`;
}
