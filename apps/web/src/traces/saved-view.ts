import { allOf, contains, type Expr, field, literal, printFilter } from '@app/query-language/text';
import { columnOf, columnsOf, columnsText, COLUMNS, nameColumnOf } from './column-list.js';
import { listRequest, sortOf } from './traces-query.js';
import { TRACES_SEARCH, type TracesSearch } from './traces-search.js';

/** An object of Weave's class SavedView: the SDKs and this page share them. */
export interface SavedView {
  readonly view_type: string;
  readonly label: string;
  readonly definition: Readonly<Record<string, unknown>>;
}

/** What a view remembers: the list, and not what is shown beside it. */
const SAVED = TRACES_SEARCH.filter((name) => !['live', 'view', 'facets'].includes(name));

/** `page` has the exact state for this page; the other members are what an SDK reads. */
export function savedView(label: string, projectId: string, search: TracesSearch): SavedView {
  const { filter, query } = listRequest(projectId, search, Date.now());
  const { query: untimed } = listRequest(projectId, { ...search, last: '' }, Date.now());
  // A time range that moves is no fixed time, so that it is not part of the query.
  const saved = search.last === undefined ? query : untimed;
  return {
    view_type: 'traces',
    label,
    definition: {
      filter,
      ...(saved && { query: saved }),
      sort_by: [sortOf(search.sort)],
      columns: [nameColumnOf(search.cols), ...columnsOf(search.cols)].flatMap((column) =>
        column.field === undefined
          ? []
          : [{ path: pathElements(column.field), label: column.label }],
      ),
      page_state: Object.fromEntries(
        SAVED.filter((name) => search[name]).map((name) => [name, search[name]]),
      ),
    },
  };
}

/** The state of the list that a view describes. */
export function searchOf({ definition, view_type }: SavedView): TracesSearch {
  const own = definition['page_state'];
  if (isObject(own)) {
    return Object.fromEntries(
      SAVED.flatMap((name) => (typeof own[name] === 'string' ? [[name, own[name]]] : [])),
    );
  }
  const filter = isObject(definition['filter']) ? definition['filter'] : {};
  const query = isObject(definition['query']) ? definition['query'] : {};
  const expr = allOf([
    ...(view_type === 'evaluations' ? [contains('op_name', 'Evaluation.evaluate')] : []),
    ...filterConditions(filter),
    exprOf(query['$expr'] ?? query['expr_']) as Expr | undefined,
  ]);
  const cols = columnsIn(definition['columns']);
  const sort = sortIn(definition['sort_by']);
  return {
    ...(expr && { q: printFilter(expr) }),
    ...(filter['trace_roots_only'] === true ? {} : { calls: 'all' }),
    ...(cols && { cols }),
    ...(sort && { sort }),
  };
}

type Json = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const textsIn = (value: unknown): readonly string[] =>
  listIn(value).filter((one) => typeof one === 'string');

/** The fields of a call that a filter compares with a list. */
const LISTS: Readonly<Record<string, string>> = {
  call_ids: 'id',
  trace_ids: 'trace_id',
  parent_ids: 'parent_id',
  thread_ids: 'thread_id',
  turn_ids: 'turn_id',
  wb_user_ids: 'wb_user_id',
  wb_run_ids: 'wb_run_id',
};

function filterConditions(filter: Json): readonly Expr[] {
  const lists = Object.entries(LISTS).flatMap(([name, path]) => {
    const values = textsIn(filter[name]);
    return values.length === 0 ? [] : [{ $in: [field(path), values.map((one) => literal(one))] }];
  });
  const ops = textsIn(filter['op_names']).map((op) =>
    op.endsWith(':*')
      ? contains('op_name', op.slice(0, -1))
      : { $eq: [field('op_name'), literal(op)] },
  );
  return [...lists, ...(ops.length > 1 ? [{ $or: ops }] : ops)];
}

/** Python's names of the operators have an underscore at the end; its objects name their class. */
const OPERATORS: Readonly<Record<string, string>> = { get_field_: '$getField' };
const CLASS_MEMBERS = ['_type', '_class_name', '_bases'];

function exprOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(exprOf);
  if (!isObject(value)) return value;
  const members = Object.entries(value).filter(([key]) => !CLASS_MEMBERS.includes(key));
  return Object.fromEntries(
    members.map(([key, inner]) => {
      const name = OPERATORS[key] ?? (/^[a-z]+_$/.test(key) ? `$${key.slice(0, -1)}` : key);
      return [name, name === '$literal' ? inner : exprOf(inner)];
    }),
  );
}

const pathElements = (path: string): readonly string[] =>
  path.split(/(?<!\\)\./).map((key) => key.replace(/\\([.\\])/g, '$1'));

function columnsIn(value: unknown): string | undefined {
  const columns = listIn(value).flatMap((one) => {
    if (!isObject(one)) return [];
    const path = listIn(one['path'])
      .map((key) => String(key).replace(/[.\\]/g, '\\$&'))
      .join('.');
    const known = COLUMNS.find((column) => column.field === path);
    return known ?? columnOf(path) ?? [];
  });
  return columns.length === 0 ? undefined : columnsText(columns, nameColumnOf(undefined));
}

function sortIn(value: unknown): string | undefined {
  const [first] = listIn(value);
  if (!isObject(first) || typeof first['field'] !== 'string') return undefined;
  return `${first['direction'] === 'desc' ? '-' : ''}${first['field']}`;
}

/** A name for a new view: objects have names without spaces. */
export function viewName(label: string, taken: readonly string[]): string {
  const base = label.replace(/[^\p{L}\p{N}._-]+/gu, '-').replace(/^-+|-+$/g, '') || 'view';
  for (let n = 1; ; n++) {
    const name = n === 1 ? base : `${base}-${n}`;
    if (!taken.includes(name)) return name;
  }
}
