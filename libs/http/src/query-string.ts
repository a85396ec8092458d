import { InvalidBodyError, ProblemError } from './problems.js';

/** The parameters of a query string. A name that is repeated has a list. */
export type QueryString = Readonly<Record<string, unknown>>;

/** The texts of a parameter; undefined when it is absent. */
export function textsIn(query: QueryString, name: string, max: number): string[] | undefined {
  const value = query[name];
  if (value === undefined) return undefined;
  const texts = (Array.isArray(value) ? value : [value]) as unknown[];
  if (texts.length > max) {
    throw new ProblemError('invalid_request', `${name} has more than ${max} values.`);
  }
  if (texts.every((text) => typeof text === 'string')) return texts;
  throw invalid(name, 'must be a text');
}

/** The text of a parameter that may be there once. */
export function textIn(query: QueryString, name: string): string | undefined {
  const [text, ...more] = textsIn(query, name, 2) ?? [];
  if (more.length > 0) throw invalid(name, 'must be there once');
  return text;
}

/** The number of a parameter such as `limit`; undefined when it is absent. */
export function countIn(query: QueryString, name: string): number | undefined {
  const text = textIn(query, name);
  if (text === undefined) return undefined;
  if (!/^-?\d{1,15}$/.test(text)) throw invalid(name, 'must be an integer');
  const count = Number(text);
  if (count >= 0) return count;
  throw new ProblemError('invalid_request', `${name} must not be negative, but is ${text}.`);
}

const invalid = (name: string, msg: string) =>
  new InvalidBodyError([{ loc: ['query', name], msg, type: 'value_error' }]);
