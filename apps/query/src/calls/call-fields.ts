import { bind, raw, sql } from '@app/clickhouse';
import {
  column,
  computed,
  ExprError,
  JsonLeaves,
  JsonText,
  never,
  parsePath,
  shown,
  textColumn,
  textsColumn,
  timeColumn,
  UnparsedText,
  type Undecided,
  type Place,
  type Plain,
  type Value,
} from '@app/query-language';
import type { PricedSql } from '@app/pricing';
import { CallLookups } from './call-lookups.js';
import { expiryOf } from '../projects/retention.reader.js';
import { feedbackField, queueField } from './feedback-field.js';
import type { PrefilterFields } from '../expansion/expanded-fields.js';

const step = (name: string) => computed('number', raw(name), sql`${raw(name)} < 0`);

/** Whole milliseconds, as the answer prints them. */
const LATENCY_MS = sql`floor((toUnixTimestamp64Micro(ended_at) - toUnixTimestamp64Micro(started_at)) / 1000)`;

/** The display name, else the name inside the op's ref, else the op name as it is. */
const TRACE_NAME = raw(
  String.raw`multiIf(display_name != '', display_name, match(op_name, '^weave:///[^/]+/[^/]+/op/[^:/]'), extract(op_name, '^weave:///[^/]+/[^/]+/op/([^:/]+)'), op_name)`,
);

const FIELDS: ReadonlyMap<string, Plain> = new Map<string, Plain>([
  ['id', column('text', 'id')],
  ['project_id', column('text', 'project_id')],
  ['trace_id', textColumn('trace_id')],
  ['parent_id', textColumn('parent_id')],
  ['thread_id', textColumn('thread_id')],
  ['turn_id', textColumn('turn_id')],
  ['op_name', column('text', 'op_name')],
  ['display_name', textColumn('display_name')],
  ['started_at', column('time', 'started_at')],
  ['ended_at', timeColumn('ended_at')],
  ['exception', textColumn('exception')],
  ['wb_user_id', textColumn('user_id')],
  ['wb_run_id', textColumn('run_id')],
  ['wb_run_step', step('run_step')],
  ['wb_run_step_end', step('run_step_end')],
  ['deleted_at', never('time')],
  ['input_refs', textsColumn('input_refs')],
  ['output_refs', textsColumn('output_refs')],
  ['summary.weave.status', computed('text', raw('toString(status)'))],
  ['summary.weave.latency_ms', computed('number', LATENCY_MS, timeColumn('ended_at').unset)],
  ['summary.weave.trace_name', computed('text', TRACE_NAME)],
]);

/** The cost over all models of a call; known to fields that know the prices. */
export const TOTAL_COST = 'summary.weave.total_cost';

function totalCost(priced: PricedSql): Plain {
  const { cost, isPriced } = priced.perCall();
  return computed('number', sql`toFloat64(${cost})`, sql`NOT ${isPriced}`);
}

const FEEDBACK = /^feedback\.\[([^\]]*)\]\.([^]+)$/;
const QUEUE = 'annotation_queue_items.queue_id';
const UNASKABLE = ['storage_size_bytes', 'total_storage_size_bytes'];

/** When its retention ends: a moment that is in no column. */
function expiry(days: number | null | undefined): Plain {
  if (!days) return never('time');
  const micros = sql`toUnixTimestamp64Micro(started_at) + ${bind('Int64', expiryOf(0, days))}`;
  return computed('time', sql`fromUnixTimestamp64Micro(${micros}, 'UTC')`);
}

/** What fields depend on that stands in other tables. */
export interface Circumstances {
  readonly priced?: PricedSql;
  /** How long calls are kept; null is for ever. */
  readonly retentionDays?: number | null;
}

/** What a query or a sort may name in a call. With a list of `doubts`, fields that read no payload. */
export class CallFields implements PrefilterFields {
  constructor(
    private readonly projectId: string,
    private readonly known: Circumstances = {},
    private readonly doubts?: Undecided[],
    readonly lookups = new CallLookups(),
  ) {}

  prefilter(doubts: Undecided[]): CallFields {
    return new CallFields(this.projectId, this.known, doubts, this.lookups);
  }

  field(path: string, at: Place): Value {
    return (
      FIELDS.get(path) ??
      this.related(path, at) ??
      payload(path, at, this.doubts) ??
      refuse(path, at)
    );
  }

  private related(path: string, at: Place): Value | undefined {
    if (path === 'expire_at') return expiry(this.known.retentionDays);
    if (path === TOTAL_COST && this.known.priced) return totalCost(this.known.priced);
    if (path === QUEUE) return queueField(this.projectId, this.lookups);
    const [, type, rest] = FEEDBACK.exec(path) ?? [];
    if (type === undefined || rest === undefined) return undefined;
    return feedbackField(this.projectId, type, parsePath(rest, at), at, this.lookups);
  }
}

function payload(path: string, at: Place, doubts?: Undecided[]): Value | undefined {
  const [name = '', ...keys] = parsePath(path, at);
  switch (name) {
    case 'output':
      return new JsonLeaves(name, keys, doubts);
    case 'attributes':
    case 'inputs':
    case 'summary':
      // These are always objects, and an object as a whole is in no leaf.
      return keys.length > 0 ? new JsonLeaves(name, keys, doubts) : textAlone(name, keys, doubts);
    case 'otel_dump':
      return textAlone(name, keys, doubts);
    default:
      return undefined;
  }
}

/** A column without leaves: a guess about it says little. */
function textAlone(name: string, keys: readonly string[], doubts?: Undecided[]): Value {
  return doubts ? new UnparsedText(raw(name), doubts) : new JsonText(raw(name), keys);
}

function refuse(path: string, at: Place): never {
  const why = UNASKABLE.includes(path) ? 'can be answered but not asked for' : 'is not a field';
  throw new ExprError('shape', at, `${shown(path)} ${why} of a call`);
}
