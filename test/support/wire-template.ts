/** The values of `${name}`: those a case starts with and those it captured from responses. */
export type Names = Map<string, string>;

/** The patterns of values that the server makes; test/wire/README.md lists the same kinds. */
export const KINDS: Readonly<Record<string, RegExp>> = {
  uuid: /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  uuid7: /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  timestamp: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/,
  'timestamp-ms': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
  'timestamp-s': /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/,
  digest: /^(?:[0-9A-Za-z]{43}|[0-9a-f]{64})$/,
  ref: /^weave:\/\/\/[^/]+\/[^/]+\/(?:object|op|table|call)\/[^/]+$/,
  key: /^hdl_[\w-]{43}$/,
  'key-id': /^[0-9a-f]{12}$/,
  'webhook-secret': /^whsec_[\w+/]{43}=$/,
  'dead-letter-id': /^[0-9a-f]{32}$/,
  'session-cookie': /^heddle=[\w-]{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Strict$/,
  version: /^\d+\.\d+\.\d+(?:-[\w.]+)?$/,
  sentence: /\S \S/,
};

const PLACEHOLDER = /^<([\w-]+)(?: as (\w+))?>$/;

/** Replaces `${name}` in every text and every key. A name that has no value yet is an error. */
export function substitute(template: unknown, names: ReadonlyMap<string, string>): unknown {
  if (typeof template === 'string') return substituteText(template, names);
  if (Array.isArray(template)) return template.map((item) => substitute(item, names));
  if (!isObject(template)) return template;
  const entries = Object.entries(template).map(([key, value]) => [
    substituteText(key, names),
    substitute(value, names),
  ]);
  return Object.fromEntries(entries);
}

export function substituteText(text: string, names: ReadonlyMap<string, string>): string {
  return text.replace(/\$\{(\w+)\}/g, (_, name: string) => {
    const value = names.get(name);
    if (value === undefined) throw new Error(`Nothing was captured as "${name}" before this step.`);
    return value;
  });
}

/**
 * The expected value with each placeholder replaced by the actual value at the same place. A placeholder that does not
 * fit the actual value stays as it is, so that a comparison fails there. Everything else is left for the comparison.
 */
export function fillPlaceholders(expected: unknown, actual: unknown, names: Names): unknown {
  if (typeof expected === 'string') {
    return typeof actual === 'string' && fits(expected, actual, names) ? actual : expected;
  }
  if (Array.isArray(expected)) {
    const items: readonly unknown[] = Array.isArray(actual) ? actual : [];
    return expected.map((item, index) => fillPlaceholders(item, items[index], names));
  }
  if (!isObject(expected)) return expected;
  const fields = isObject(actual) ? actual : {};
  const entries = Object.entries(expected).map(([key, value]) => [
    key,
    fillPlaceholders(value, fields[key], names),
  ]);
  return Object.fromEntries(entries);
}

function fits(placeholder: string, actual: string, names: Names): boolean {
  const [, kind = '', name] = PLACEHOLDER.exec(placeholder) ?? [];
  if (KINDS[kind]?.test(actual) !== true) return false;
  if (name !== undefined) names.set(name, actual);
  return true;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
