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
import { micros } from '@app/wire';
import { CallLookups } from './call-lookups.js';
import { expiryOf } from '../projects/retention.reader.js';
import { feedbackField, queueField } from './feedback-field.js';
import type { PrefilterFields } from '../expansion/expanded-fields.js';

const step = (name: string) => computed('number', raw(name), sql`${raw(name)} < 0`);

/** Whole milliseconds, as in the response. */
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
  ['summary.weave.total_tokens', computed('number', raw('toFloat64(arraySum(usage_total))'))],
]);

/** The cost of a call over all its models. Only fields with prices have it. */
export const TOTAL_COST = 'summary.weave.total_cost';

function totalCost(priced: PricedSql): Plain {
  const { cost, isPriced } = priced.perCall();
  return computed('number', sql`toFloat64(${cost})`, sql`NOT ${isPriced}`);
}

const FEEDBACK = /^feedback\.\[([^\]]*)\]\.([^]+)$/;
const QUEUE = 'annotation_queue_items.queue_id';
const NOT_QUERYABLE = ['storage_size_bytes', 'total_storage_size_bytes'];

/** When the retention of a call ends, which is in no column. */
function expiry(days: number | null | undefined): Plain {
  if (!days) return never('time');
  const expires = sql`toUnixTimestamp64Micro(started_at) + ${bind('Int64', expiryOf(micros(0), days))}`;
  return computed('time', sql`fromUnixTimestamp64Micro(${expires}, 'UTC')`);
}

/** Values from other tables that some fields are computed from. */
export interface FieldDependencies {
  readonly priced?: PricedSql;
  /** How long calls are retained; null is indefinitely. */
  readonly retentionDays?: number | null;
}

/** The fields of a call that a query or a sort may name. With a list of `undecided`, they read no payload. */
export class CallFields implements PrefilterFields {
  constructor(
    private readonly projectId: string,
    private readonly dependencies: FieldDependencies = {},
    private readonly undecided?: Undecided[],
    readonly lookups = new CallLookups(),
  ) {}

  prefilter(undecided: Undecided[]): CallFields {
    return new CallFields(this.projectId, this.dependencies, undecided, this.lookups);
  }

  field(path: string, at: Place): Value {
    return (
      FIELDS.get(path) ??
      this.related(path, at) ??
      payload(path, at, this.undecided) ??
      refuse(path, at)
    );
  }

  private related(path: string, at: Place): Value | undefined {
    const { retentionDays, priced } = this.dependencies;
    if (path === 'expire_at') return expiry(retentionDays);
    if (path === TOTAL_COST && priced) return totalCost(priced);
    if (path === QUEUE) return queueField(this.projectId, this.lookups);
    const [, type, rest] = FEEDBACK.exec(path) ?? [];
    if (type === undefined || rest === undefined) return undefined;
    return feedbackField(this.projectId, type, parsePath(rest, at), at, this.lookups);
  }
}

function payload(path: string, at: Place, undecided?: Undecided[]): Value | undefined {
  const [name = '', ...keys] = parsePath(path, at);
  switch (name) {
    case 'output':
      return new JsonLeaves(name, keys, undecided);
    case 'attributes':
    case 'inputs':
    case 'summary':
      // These are always objects, and an object as a whole is in no leaf.
      return keys.length > 0
        ? new JsonLeaves(name, keys, undecided)
        : unindexed(name, keys, undecided);
    case 'otel_dump':
      return unindexed(name, keys, undecided);
    default:
      return undefined;
  }
}

/** A column without leaves, of which the prefilter can decide little. */
function unindexed(name: string, keys: readonly string[], undecided?: Undecided[]): Value {
  return undecided ? new UnparsedText(raw(name), undecided) : new JsonText(raw(name), keys);
}

function refuse(path: string, at: Place): never {
  const reason = NOT_QUERYABLE.includes(path)
    ? 'is returned with a call but cannot be queried'
    : 'is not a field of a call';
  throw new ExprError('shape', at, `${shown(path)} ${reason}`);
}
