import { blankProse, identifier, stringLiteral } from './sql-text.js';

const PLACEHOLDER = /\{\s*([A-Za-z_]\w*)\s*:\s*([^{}]+?)\s*\}/g;

/**
 * Puts bound values in the place of `{name:Type}`. The engine's own binding is not safe here: values of
 * statements running at the same time on different connections can be exchanged, and `SET param_…` makes
 * a connection unfit for reuse. A value enters only as a quoted literal, read by the engine as its type.
 * A placeholder without a value is left for the engine to refuse.
 */
export function bindParameters(sql: string, values: ReadonlyMap<string, string>): string {
  if (values.size === 0) return sql;
  const code = blankProse(sql);
  let bound = '';
  let from = 0;
  for (const match of code.matchAll(PLACEHOLDER)) {
    const value = values.get(match[1] ?? '');
    if (value === undefined) continue;
    const end = match.index + match[0].length;
    bound += sql.slice(from, match.index) + valueAs(typeIn(sql.slice(match.index, end)), value);
    from = end;
  }
  return bound + sql.slice(from);
}

/** From the original text, since the names in `Enum8('a' = 1)` are blank in the code. */
function typeIn(placeholder: string): string {
  return placeholder.slice(placeholder.indexOf(':') + 1, -1).trim();
}

/** The wire carries a value as one field of tab-separated text, composite types as their own text. */
function valueAs(type: string, text: string): string {
  if (type === 'Identifier') return identifier(unescapeField(text));
  if (type === 'String') return stringLiteral(unescapeField(text));
  if (text === '\\N') return cast('NULL', type);
  // A map cannot be cast from text, a list of maps can.
  if (/^Map\b/.test(type)) return `${cast(stringLiteral(`[${text}]`), `Array(${type})`)}[1]`;
  if (/^(Array|Tuple)\b/.test(type)) return cast(stringLiteral(text), type);
  return cast(stringLiteral(unescapeField(text)), type);
}

/** `_CAST` is what the server itself makes of a parameter; unlike `CAST` it depends on no setting. */
function cast(literal: string, type: string): string {
  return `_CAST(${literal}, ${stringLiteral(type)})`;
}

const ESCAPES: Readonly<Record<string, string>> = {
  t: '\t',
  n: '\n',
  r: '\r',
  b: '\b',
  f: '\f',
  a: '\x07',
  v: '\v',
  '0': '\0',
};

function unescapeField(text: string): string {
  return text.replace(/\\([\s\S])/g, (_, character: string) => ESCAPES[character] ?? character);
}
