import type { JsonText } from '@app/wire';
import {
  AnyPayload,
  Id,
  Timestamp,
  OptionalCount,
  OptionalId,
  OptionalTimestamp,
  OptionalPayloadObject,
  OptionalText,
  PayloadObject,
  ProjectId,
  Text,
} from './fields.js';

/** The start half of a call. */
export class CallStartRecord {
  @ProjectId() project_id!: string;
  @OptionalId('Given by the server when absent.') id?: string | null;
  @Text('An op ref, or a plain name.') op_name!: string;
  @OptionalText('Shown instead of the op name.') display_name?: string | null;
  @OptionalId('Given by the server when absent.') trace_id?: string | null;
  @OptionalId('The call that made this one; absent for the root of a trace.') parent_id?:
    string | null;
  @OptionalId('Groups the calls of one conversation.') thread_id?: string | null;
  @OptionalId('The call that opens the turn.') turn_id?: string | null;
  @Timestamp('When the call began.') started_at!: string;
  @PayloadObject('What the caller wants to remember about it.') attributes!: JsonText;
  @PayloadObject('Arguments by name.') inputs!: JsonText;
  @OptionalPayloadObject('The raw OpenTelemetry span.') otel_dump?: JsonText;
  @OptionalText('Ignored: the server knows whose key it is.') wb_user_id?: string | null;
  @OptionalText('<entity>/<project>/<run>') wb_run_id?: string | null;
  @OptionalCount('Step of the run at the start.') wb_run_step?: number | null;
}

/** The end half of a call. It may arrive before the start. */
export class CallEndRecord {
  @ProjectId() project_id!: string;
  @Id('The call that ended.') id!: string;
  @Timestamp('When the call ended.') ended_at!: string;
  @OptionalText('What went wrong; absent for a success.') exception?: string | null;
  @AnyPayload('What the call returned.') output?: JsonText;
  @PayloadObject('Usage, status counts and whatever else the client sums up.') summary!: JsonText;
  @OptionalTimestamp('When the call began, as the client remembers it.') started_at?: string | null;
  @OptionalId('The trace of the call.') trace_id?: string | null;
  @OptionalText('A name given while the call ran.') display_name?: string | null;
  @OptionalCount('Step of the run at the end.') wb_run_step_end?: number | null;
}

/** A whole call in one record. */
export class CallCompleteRecord {
  @ProjectId() project_id!: string;
  @Id('The call.') id!: string;
  @Id('The trace of the call.') trace_id!: string;
  @Text('An op ref, or a plain name.') op_name!: string;
  @OptionalText('Shown instead of the op name.') display_name?: string | null;
  @OptionalId('The call that made this one; absent for the root of a trace.') parent_id?:
    string | null;
  @OptionalId('Groups the calls of one conversation.') thread_id?: string | null;
  @OptionalId('The call that opens the turn.') turn_id?: string | null;
  @Timestamp('When the call began.') started_at!: string;
  @Timestamp('When the call ended.') ended_at!: string;
  @PayloadObject('What the caller wants to remember about it.') attributes!: JsonText;
  @PayloadObject('Arguments by name.') inputs!: JsonText;
  @AnyPayload('What the call returned.') output?: JsonText;
  @OptionalText('What went wrong; absent for a success.') exception?: string | null;
  @PayloadObject('Usage, status counts and whatever else the client sums up.') summary!: JsonText;
  @OptionalPayloadObject('The raw OpenTelemetry span.') otel_dump?: JsonText;
  @OptionalText('Ignored: the server knows whose key it is.') wb_user_id?: string | null;
  @OptionalText('<entity>/<project>/<run>') wb_run_id?: string | null;
  @OptionalCount('Step of the run at the start.') wb_run_step?: number | null;
  @OptionalCount('Step of the run at the end.') wb_run_step_end?: number | null;
}
