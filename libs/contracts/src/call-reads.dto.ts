import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  Id,
  OptionalCount,
  OptionalFlag,
  OptionalObject,
  OptionalPart,
  OptionalTexts,
  ProjectId,
} from './fields.js';
import { OptionalSort, type SortField } from './object-sort.dto.js';

export class CallReadRequest {
  @ProjectId() project_id!: string;
  @Id('The call to read.') id!: string;
  @OptionalFlag('Adds summary.weave.costs.') include_costs?: boolean | null;
  @OptionalFlag('Adds storage_size_bytes.') include_storage_size?: boolean | null;
  @OptionalFlag('Adds total_storage_size_bytes on root calls.') include_total_storage_size?:
    boolean | null;
}

/** Conditions on calls, all of which must hold. An absent, null or empty list is no condition. */
export class CallsFilter {
  @OptionalTexts('Equal to any; `…:*` is any version.') op_names?: string[] | null;
  @OptionalTexts('Any of these refs is among the inputs; `…:*` is any version.') input_refs?:
    string[] | null;
  @OptionalTexts('Any of these refs is in the output; `…:*` is any version.') output_refs?:
    string[] | null;
  @OptionalTexts('Children of any of these calls.') parent_ids?: string[] | null;
  @OptionalTexts('In any of these traces.') trace_ids?: string[] | null;
  @OptionalTexts('Any of these calls.') call_ids?: string[] | null;
  @OptionalTexts('In any of these threads; an empty list matches nothing.') thread_ids?:
    string[] | null;
  @OptionalTexts('In any of these turns; an empty list matches nothing.') turn_ids?:
    string[] | null;
  @OptionalFlag('Only calls without a parent.') trace_roots_only?: boolean | null;
  @OptionalTexts('Sent by any of these users.') wb_user_ids?: string[] | null;
  @OptionalTexts('In any of these runs: <entity>/<project>/<run>, or the run alone.') wb_run_ids?:
    string[] | null;
}

export class CallsQueryStatsRequest {
  @ProjectId() project_id!: string;
  @OptionalPart(() => CallsFilter, 'Conditions on calls.') filter?: CallsFilter | null;
  @OptionalObject('An expression of the query language.') query?: object | null;
  @OptionalCount('Stop counting at this many.') limit?: number | null;
  @OptionalFlag('Adds total_storage_size_bytes.') include_total_storage_size?: boolean | null;
  @OptionalTexts('Paths holding refs to follow while filtering.') expand_columns?: string[] | null;
}

export class CallsQueryRequest {
  @ProjectId() project_id!: string;
  @OptionalPart(() => CallsFilter, 'Conditions on calls.') filter?: CallsFilter | null;
  @OptionalObject('An expression of the query language.') query?: object | null;
  @OptionalCount('At most this many.') limit?: number | null;
  @OptionalCount('Leave out this many first.') offset?: number | null;
  @OptionalSort('Oldest first when absent; in any order when empty. What has no value comes last.')
  sort_by?: SortField[] | null;
  @OptionalTexts('Fields to answer; all when absent. The others have their empty values.')
  columns?: string[] | null;
  @OptionalFlag('Adds summary.weave.costs.') include_costs?: boolean | null;
  @OptionalFlag('Adds summary.weave.feedback.') include_feedback?: boolean | null;
  @OptionalFlag('Adds storage_size_bytes.') include_storage_size?: boolean | null;
  @OptionalFlag('Adds total_storage_size_bytes on root calls.') include_total_storage_size?:
    boolean | null;
  @OptionalFlag('Adds wb_username.') include_usernames?: boolean | null;
  @OptionalTexts('Paths holding refs to resolve.') expand_columns?: string[] | null;
  @OptionalFlag('False: resolve refs for filter and sort only.') return_expanded_column_values?:
    boolean | null;
  @OptionalFlag('Has no effect: a call is never answered twice.') latest_only?: boolean | null;
}

export class CallsQueryStatsResponse {
  @ApiProperty({ type: 'integer' }) count!: number;
  @ApiProperty({ description: 'True when `limit` ended the count.' }) has_more!: boolean;
  @ApiProperty({ type: 'integer', nullable: true }) total_storage_size_bytes!: number | null;
}

/** A call as it is answered. */
export class CallSchema {
  @ApiProperty() id!: string;
  @ApiProperty() project_id!: string;
  @ApiProperty() op_name!: string;
  @ApiProperty({ type: 'string', nullable: true }) display_name!: string | null;
  @ApiProperty() trace_id!: string;
  @ApiProperty({ type: 'string', nullable: true }) parent_id!: string | null;
  @ApiProperty({ type: 'string', nullable: true }) thread_id!: string | null;
  @ApiProperty({ type: 'string', nullable: true }) turn_id!: string | null;
  @ApiProperty({ format: 'date-time' }) started_at!: string;
  @ApiProperty({ type: 'object', additionalProperties: true }) attributes!: object;
  @ApiProperty({ type: 'object', additionalProperties: true }) inputs!: object;
  @ApiProperty({ type: 'string', format: 'date-time', nullable: true }) ended_at!: string | null;
  @ApiProperty({ type: 'string', nullable: true }) exception!: string | null;
  @ApiProperty({
    nullable: true,
    description: 'Any JSON value.',
    type: 'object',
    additionalProperties: true,
  })
  output!: unknown;
  @ApiProperty({ type: 'object', additionalProperties: true, nullable: true }) summary!:
    object | null;
  @ApiProperty({ type: 'string', nullable: true }) wb_user_id!: string | null;
  @ApiProperty({ type: 'string', nullable: true }) wb_run_id!: string | null;
  @ApiProperty({ type: 'integer', nullable: true }) wb_run_step!: number | null;
  @ApiProperty({ type: 'integer', nullable: true }) wb_run_step_end!: number | null;
  @ApiProperty({ type: 'string', format: 'date-time', nullable: true }) deleted_at!: string | null;
  @ApiProperty({ type: 'string', format: 'date-time', nullable: true }) expire_at!: string | null;
  @ApiPropertyOptional({ type: 'string', nullable: true, description: 'Only when asked.' })
  wb_username?: string | null;
  @ApiProperty({ type: 'integer', nullable: true }) storage_size_bytes!: number | null;
  @ApiProperty({ type: 'integer', nullable: true }) total_storage_size_bytes!: number | null;
}

export class CallReadResponse {
  @ApiProperty({
    type: CallSchema,
    nullable: true,
    description: 'null when there is no such call.',
  })
  call!: CallSchema | null;
}

export class CallsQueryResponse {
  @ApiProperty({ type: [CallSchema] }) calls!: CallSchema[];
}
