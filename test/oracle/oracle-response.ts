import { matches, MeaninglessQueryError, sorted } from './oracle.js';
import { fieldOf, type SentCall } from './oracle-call.js';

type Json = any;

/** The ids that a request should be answered with, or undefined when it should be refused. */
export function expectedIds(calls: readonly SentCall[], request: Json): string[] | undefined {
  try {
    // A refusal does not depend on rows: one of no call at all would come out the same.
    const found = calls.filter(
      (call) =>
        Number(!request.query || matches(call, request.query)) &
        Number(passes(call, request.filter ?? {})),
    );
    const from = request.offset ?? 0;
    return sorted(found, request.sort_by ?? null)
      .slice(from, request.limit === undefined ? undefined : from + request.limit)
      .map(({ id }) => id);
  } catch (error) {
    if (error instanceof MeaninglessQueryError) return undefined;
    throw error;
  }
}

function passes(call: SentCall, filter: Json): boolean {
  const isAny = (values: readonly string[] | null | undefined, has: (value: string) => boolean) =>
    !values?.length || values.some(has);
  const isVersion = (pattern: string, text: string) =>
    pattern.endsWith(':*') ? text.startsWith(pattern.slice(0, -1)) : text === pattern;
  return (
    isAny(filter.op_names, (op) => isVersion(op, call.op_name)) &&
    isAny(filter.trace_ids, (id) => id === call.trace_id) &&
    isAny(filter.call_ids, (id) => id === call.id) &&
    isAny(filter.parent_ids, (id) => id === (call.parent_id ?? '')) &&
    isAny(filter.input_refs, (ref) => call.input_refs.some((one) => isVersion(ref, one))) &&
    isAny(filter.output_refs, (ref) => call.output_refs.some((one) => isVersion(ref, one))) &&
    isAny(filter.wb_user_ids, (user) => user === call.wb_user_id) &&
    isAny(filter.wb_run_ids, (run) => fullRun(call, run) === call.wb_run_id) &&
    (!filter.thread_ids || filter.thread_ids.includes(call.thread_id ?? '')) &&
    (!filter.turn_ids || filter.turn_ids.includes(call.turn_id ?? '')) &&
    (!filter.trace_roots_only || (fieldOf(call, 'parent_id') as Json).value === null)
  );
}

/** A run without its project is one of this project. */
const fullRun = ({ project_id }: SentCall, run: string) =>
  run.includes('/') ? run : `${project_id}/${run}`;
