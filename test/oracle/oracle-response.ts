import { matches, InvalidQueryError, sorted } from './oracle.js';
import { fieldOf, type SentCall } from './oracle-call.js';

type Json = any;

/** The ids that the response should have, or undefined when the request should be refused. */
export function expectedIds(calls: readonly SentCall[], request: Json): string[] | undefined {
  try {
    // Both conditions are evaluated for every call, so that a refusal does not depend on the rows.
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
    if (error instanceof InvalidQueryError) return undefined;
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

/** A run without a project belongs to the project of the call. */
const fullRun = ({ project_id }: SentCall, run: string) =>
  run.includes('/') ? run : `${project_id}/${run}`;
