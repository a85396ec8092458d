import { and, bind, join, raw, sql, type Sql } from '@app/clickhouse';
import {
  ALWAYS_UNDECIDED,
  ExprError,
  JsonText,
  QuickJsonText,
  shown,
  type Json,
  type Place,
  type Undecided,
} from '@app/query-language';
import type { CallLookups } from './call-lookups.js';

/** A call may have many of these, and any of them may match. Of every other type only the newest counts. */
const MULTIPLE = ['wandb.reaction.1', 'wandb.note.1', 'wandb.agent_user_feedback', '*'];
const REFS = ['runnable_ref', 'trigger_ref'];

/** `feedback.[type].path` of a call; the type may be `*`. */
export function feedbackField(
  projectId: string,
  type: string,
  path: readonly string[],
  at: Place,
  lookups: CallLookups,
): Json {
  const [name = '', ...keys] = path;
  const isRef = REFS.includes(name) && keys.length === 0;
  if (name !== 'payload' && !isRef) {
    const known = ['payload', ...REFS].join(', ');
    throw new ExprError('shape', at, `feedback has ${known}, but no ${shown(path.join('.'))}`);
  }
  const source: Source = {
    where: and([
      sql`project_id = ${bind('String', projectId)} AND call_id != ''`,
      type !== '*' && sql`feedback_type = ${bind('String', type)}`,
    ]),
    // As JSON, so that a ref and a payload are read in the same way.
    column: isRef ? sql`if(${raw(name)} = '', '', toJSONString(${raw(name)}))` : raw('payload'),
    keys,
  };
  return MULTIPLE.includes(type) ? new AnyFeedback(source, lookups) : newest(source);
}

interface Source {
  readonly where: Sql;
  /** JSON text. */
  readonly column: Sql;
  /** The path inside it. */
  readonly keys: readonly string[];
  /** All feedback when absent. */
  readonly table?: Sql;
}

const ALL_FEEDBACK = raw('feedback FINAL');

/** The value in each call's newest feedback. ClickHouse evaluates the subquery once, and looks each call up in the result. */
function newest({ where, column, keys }: Source): Json {
  const values = sql`SELECT call_id, argMax(${column}, (created_at, id)) AS said FROM feedback FINAL WHERE ${where} GROUP BY call_id`;
  return new JsonText(lookedUp(values, new JsonText(raw('said'), keys)), []);
}

function lookedUp(values: Sql, value: JsonText): Sql {
  const both = sql`(SELECT (groupArray(call_id), groupArray(${value.json()})) FROM (${values}))`;
  return sql`transform(id, ${both}.1, ${both}.2, '')`;
}

/** The values of all feedback of a call. A condition holds when it holds for any of them. */
class AnyFeedback implements Json {
  readonly kind = 'json';
  private readonly one: JsonText;
  private readonly last: JsonText;

  constructor(
    private readonly source: Source,
    private readonly lookups: CallLookups,
  ) {
    const { where, column, keys, table = ALL_FEEDBACK } = source;
    this.one = new JsonText(column, keys);
    const exists = new JsonText(column, keys).exists();
    const values = sql`SELECT call_id, argMax(${column}, (created_at, id)) AS said FROM ${table} WHERE ${where} AND ${exists} GROUP BY call_id`;
    this.last = new JsonText(lookedUp(values, new JsonText(raw('said'), keys)), []);
  }

  text = (): Sql => this.last.text();
  number = (): Sql => this.last.number();
  integer = (): Sql => this.last.integer();
  bool = (): Sql => this.last.bool();
  size = (): Sql => this.last.size();
  exists = (): Sql => this.any((one) => one.exists());

  /** '' means that there is no value, as in every other Json. */
  equalsAny(texts: readonly string[]): Sql {
    const equal = this.any((one) => one.equalsAny(texts));
    return texts.includes('') ? sql`(${equal} OR NOT ${this.exists()})` : equal;
  }

  /** Every call matches the empty string, also one without feedback. */
  contains(substr: string, ignoresCase: boolean): Sql {
    if (substr === '') return raw('true');
    return this.any((one) => one.contains(substr, ignoresCase));
  }

  any(condition: (entry: Json) => Sql): Sql {
    const { where, table = ALL_FEEDBACK } = this.source;
    const calls = sql`SELECT call_id FROM ${table} WHERE ${where} AND ${condition(this.one)}`;
    return sql`(id IN ${this.lookups.callsOf(calls, this.quick(condition))})`;
  }

  /** The same calls where ClickHouse's own JSON functions are exact, and those with feedback where they may not be. */
  private quick(condition: (entry: Json) => Sql): Sql | undefined {
    const { where, column, keys, table = ALL_FEEDBACK } = this.source;
    const undecided: Undecided[] = [];
    const matches = condition(new QuickJsonText(column, keys, undecided));
    if (undecided.length === 0 || undecided.includes(ALWAYS_UNDECIDED)) return undefined;
    const isUndecided = join(
      undecided.map(({ rows }) => sql`(${rows})`),
      ' OR ',
    );
    return sql`SELECT call_id, (${isUndecided}) AS is_undecided FROM ${table} WHERE ${where} AND (is_undecided OR ${matches})`;
  }
}

/** `annotation_queue_items.queue_id` of a call: any of the queues that it is in, or was annotated in. */
export function queueField(projectId: string, lookups: CallLookups): Json {
  const project = sql`project_id = ${bind('String', projectId)}`;
  const where = sql`call_id != '' AND queue_id != ''`;
  const table = sql`(
    SELECT call_id, queue_id, created_at, id FROM feedback FINAL WHERE ${project} AND ${where}
    UNION ALL SELECT call_id, queue_id, tupleElement(added, 2) AS created_at, id FROM annotation_items WHERE ${project} AND ${where})`;
  const column = raw('toJSONString(queue_id)');
  return new AnyFeedback({ where, column, keys: [], table }, lookups);
}
