import { bind, raw, sql, type Sql } from '@app/clickhouse';
import { ExprError, shown } from '@app/query-language';
import type { Millis } from '@app/wire';
import { CallFields } from '../calls/call-fields.js';
import type { LocalTime } from './local-time.js';

/** A column that a report is grouped by. */
export interface Group {
  /** Its name as a column. The path in a request must not become one. */
  readonly name: string;
  /** Its name in the request. */
  readonly requested: string;
  /** Its value for a call; undefined for the model, which belongs to a usage and not to a call. */
  readonly perCall: Sql | undefined;
  /** Its value for a span of an agent. */
  readonly perSpan: Sql;
  /** Its format in the response, where formatting every call would cost more than formatting every group. */
  readonly shown?: (value: Sql) => Sql;
  /** Whether the table root_usage has it. */
  readonly isOfRoots: boolean;
}

const OF_ROOTS = ['op', 'user'];

/** Bands of 1, 2 and 5 steps: narrow enough for a map of latencies, and few enough to be groups. */
const LATENCY_BANDS_MS = [
  0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000, 200_000,
  500_000,
];
/** The lower bound of the band in milliseconds; empty while the call runs. */
const LATENCY_BAND = `if(ended_at = toDateTime64(0, 6, 'UTC'), '', toString(arrayMax(arrayFilter(band -> band <= greatest(0, intDiv(toUnixTimestamp64Micro(ended_at) - toUnixTimestamp64Micro(started_at), 1000)), [${LATENCY_BANDS_MS.join(', ')}]))))`;

const COLUMNS: Readonly<Record<string, string>> = {
  op: 'op_id',
  op_version: 'op_name',
  user: 'user_id',
  run: 'run_id',
  thread: 'thread_id',
  trace: 'trace_id',
  status: 'toString(status)',
  latency: LATENCY_BAND,
};

/** The same for spans of agents. */
const SPAN_COLUMNS: Readonly<Record<string, string>> = {
  op: 'span_name',
  op_version: 'span_name',
  user: 'user_id',
  run: 'run_id',
  thread: 'conversation_id',
  trace: 'trace_id',
  status: `if(status_code = 'ERROR', 'error', 'success')`,
  latency: LATENCY_BAND,
};

/** An attribute of a span that is a text. */
const ofSpan = (path: string): Sql =>
  path.startsWith('attributes.')
    ? sql`custom_attrs_string[${bind('String', path.slice('attributes.'.length))}]`
    : raw(`''`);

/** The format of a timestamp in the response, and the seconds that calls are summed over before. */
const TIMES: Readonly<Record<string, { readonly format: string; readonly step: number }>> = {
  hour: { format: '%Y-%m-%dT%H:00', step: 3600 },
  day: { format: '%Y-%m-%d', step: 86_400 },
  month: { format: '%Y-%m', step: 86_400 },
};

export interface Span {
  readonly clock: LocalTime;
  /** Milliseconds. */
  readonly from: Millis;
  readonly to: Millis;
}

/** Statistics are over time already, so times are no groups of theirs. */
export function statsGroups(names: readonly string[], projectId: string, span: Span): Group[] {
  const time = names.findIndex((name) => Object.hasOwn(TIMES, name));
  if (time === -1) return reportGroups(names, projectId, span);
  const at = ['group_by', time];
  throw new ExprError('value', at, `${shown(names[time])} is not a group here; set granularity`);
}

export function reportGroups(
  names: readonly string[],
  projectId: string,
  { clock, from, to }: Span,
): Group[] {
  const fields = new CallFields(projectId);
  let paths = 0;
  return names.map((name, i) => {
    const at = ['group_by', i];
    if (names.indexOf(name) !== i)
      throw new ExprError('value', at, `${shown(name)} is there twice`);
    if (name === 'model')
      return { name, requested: name, perCall: undefined, perSpan: raw('model'), isOfRoots: true };
    const column = Object.hasOwn(COLUMNS, name) ? COLUMNS[name] : undefined;
    if (column) {
      const isOfRoots = OF_ROOTS.includes(name);
      const perSpan = raw(SPAN_COLUMNS[name]!);
      return { name, requested: name, perCall: raw(column), perSpan, isOfRoots };
    }
    const time = Object.hasOwn(TIMES, name) ? TIMES[name] : undefined;
    if (time) {
      const seconds = clock.secondsSql(raw('started_at'), from, to);
      const step = bind('Int64', time.step);
      return {
        name,
        requested: name,
        perCall: sql`intDiv(${seconds}, ${step})`,
        perSpan: sql`intDiv(${seconds}, ${step})`,
        shown: (steps) =>
          sql`formatDateTime(toDateTime(${steps} * ${step}, 'UTC'), ${bind('String', time.format)})`,
        isOfRoots: true,
      };
    }
    const value = name.includes('.') ? fields.field(name, at) : undefined;
    if (value?.kind !== 'json') {
      throw new ExprError('value', at, `${shown(name)} is nothing to group by; ${KNOWN}`);
    }
    return {
      name: `attribute_${++paths}`,
      requested: name,
      perCall: value.text(),
      perSpan: ofSpan(name),
      isOfRoots: false,
    };
  });
}

const KNOWN = `there are model, ${[...Object.keys(COLUMNS), ...Object.keys(TIMES)].join(', ')} and paths such as attributes.team`;
