export const OP = 'op_name';

/** The query language as the page uses it. What it does not know stays what it is. */
export type Expr = { readonly [operator: string]: unknown };
export type Literal = string | number | boolean | null;

export const field = (path: string): Expr => ({ $getField: path });
export const literal = (value: Literal): Expr => ({ $literal: value });
export const contains = (path: string, text: string): Expr => ({
  $contains: { input: field(path), substr: literal(text), case_insensitive: true },
});

/** Text that occurs in the inputs or in the output. */
export const freeText = (text: string): Expr => ({
  $or: [contains('inputs', text), contains('output', text)],
});

const REF = 'weave:///';

/** An op has a ref with its version, or only a name. `op = agent.run` is any version of it. */
export const isOpName = (value: Literal): value is string =>
  typeof value === 'string' && !value.startsWith(REF);
export const opNamed = (name: string): Expr => ({
  $or: [
    { $eq: [field(OP), literal(name)] },
    { $contains: { input: field(OP), substr: literal(`/op/${name}:`) } },
  ],
});

/** All of the conditions; undefined without any. */
export function allOf(conditions: readonly (Expr | undefined)[]): Expr | undefined {
  const given = conditions.filter((one) => one !== undefined);
  return given.length > 1 ? { $and: given } : given[0];
}

/** Short names of fields, in the order in which they are offered. */
export const ALIASES: Readonly<Record<string, string>> = {
  status: 'summary.weave.status',
  latency: 'summary.weave.latency_ms',
  op: OP,
  name: 'summary.weave.trace_name',
  cost: 'summary.weave.total_cost',
  tokens: 'summary.weave.total_tokens',
  user: 'wb_user_id',
  thread: 'thread_id',
  trace: 'trace_id',
  started: 'started_at',
  ended: 'ended_at',
};
const BY_PATH: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(ALIASES).map(([alias, path]) => [path, alias]),
);

export const pathOf = (name: string): string =>
  Object.hasOwn(ALIASES, name) ? ALIASES[name]! : name;
export const nameOf = (path: string): string =>
  Object.hasOwn(BY_PATH, path) ? BY_PATH[path]! : path;
