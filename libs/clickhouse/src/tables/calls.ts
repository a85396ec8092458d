import type { Micros } from '@app/wire';
import {
  asArray,
  asBool,
  asEncodedMap,
  asEnum8,
  asFloat64,
  asInt64,
  asMicros,
  asText,
  asUInt32,
  asUInt64,
  asUInt8,
  asUnits18,
  type EncodedMap,
  type Table,
} from '../columns.js';
import { raw } from '../sql.js';

const CALL_STATUS = { running: 1, success: 2, error: 3, descendant_error: 4 } as const;
export type CallStatus = keyof typeof CALL_STATUS;

/** Is added to the version of a deleted call: its row outranks every fact that may still come. */
export const DELETED_VERSION = 2n ** 62n;
/** The number of facts that a row was folded from, deleted or not. */
export const FACTS_FOLDED = raw(`bitAnd(version, ${DELETED_VERSION - 1n})`);

type Text = string | Buffer;

/** A call, folded from its facts. '' is an unset text, 0 an unset time, -1 an unset step. */
export interface CallRow {
  project_id: string;
  started_at: Micros;
  id: string;
  trace_id: string;
  parent_id: string;
  thread_id: string;
  turn_id: string;
  op_name: string;
  /** The op ref without its version, the same for all versions of an op. */
  op_id: string;
  display_name: string;
  ended_at: Micros;
  status: CallStatus;
  exception: string;
  user_id: string;
  run_id: string;
  run_step: number;
  run_step_end: number;
  input_refs: readonly string[];
  output_refs: readonly string[];
  usage_model: readonly string[];
  usage_requests: readonly number[];
  usage_prompt: readonly number[];
  /** Input that was neither read from a cache nor written to one. */
  usage_uncached: readonly number[];
  usage_completion: readonly number[];
  usage_cache_read: readonly number[];
  usage_cache_write: readonly number[];
  usage_total: readonly number[];
  /** Cost at the prices when the row was written, in units of 10^-18; for users who query ClickHouse directly. */
  cost_at_write: bigint;
  attributes: Text;
  inputs: Text;
  output: Text;
  summary: Text;
  otel_dump: Text;
  size_bytes: number;
  leaf_s: EncodedMap;
  leaf_n: EncodedMap;
  leaf_b: EncodedMap;
  /** Hashes of unindexed paths: those of objects, lists, and scalars that a leaf cannot represent. */
  leaf_rest: readonly number[];
  /** 2 when `leaf_rest` is complete, so that a path without a leaf that is not in it has no value. */
  leaf_full: number;
  version: bigint;
  is_deleted: number;
}

const texts = asArray<string>(asText);
const counts = asArray(asUInt64);

export const CALLS: Table<CallRow> = {
  name: 'calls',
  columns: {
    project_id: asText,
    started_at: asMicros,
    id: asText,
    trace_id: asText,
    parent_id: asText,
    thread_id: asText,
    turn_id: asText,
    op_name: asText,
    op_id: asText,
    display_name: asText,
    ended_at: asMicros,
    status: asEnum8(CALL_STATUS),
    exception: asText,
    user_id: asText,
    run_id: asText,
    run_step: asInt64,
    run_step_end: asInt64,
    input_refs: texts,
    output_refs: texts,
    usage_model: texts,
    usage_requests: counts,
    usage_prompt: counts,
    usage_uncached: counts,
    usage_completion: counts,
    usage_cache_read: counts,
    usage_cache_write: counts,
    usage_total: counts,
    cost_at_write: asUnits18,
    attributes: asText,
    inputs: asText,
    output: asText,
    summary: asText,
    otel_dump: asText,
    size_bytes: asUInt64,
    leaf_s: asEncodedMap(asText),
    leaf_n: asEncodedMap(asFloat64),
    leaf_b: asEncodedMap(asBool),
    leaf_rest: asArray(asUInt32),
    leaf_full: asUInt8,
    version: asUInt64,
    is_deleted: asUInt8,
  },
};
