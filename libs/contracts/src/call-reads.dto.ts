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
import { OneOf } from './object-fields.js';
import { OptionalSort, type SortField } from './object-sort.dto.js';

export class CallReadRequest {
  @ProjectId() project_id!: string;
  @Id('The call to read.') id!: string;
  @OptionalFlag('Adds summary.weave.costs.') include_costs?: boolean | null;
  @OptionalFlag('Adds storage_size_bytes.') include_storage_size?: boolean | null;
  @OptionalFlag('Adds total_storage_size_bytes on root calls.') include_total_storage_size?:
    boolean | null;
}

/** Conditions on calls. A call must match all of them. An absent, null or empty list is no condition. */
export class CallsFilter {
  @OptionalTexts('Calls of any of these ops; `…:*` matches any version.') op_names?:
    string[] | null;
  @OptionalTexts('Calls with any of these refs in their inputs; `…:*` matches any version.')
  input_refs?: string[] | null;
  @OptionalTexts('Calls with any of these refs in their output; `…:*` matches any version.')
  output_refs?: string[] | null;
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
  @OptionalCount('Stop counting at this number.') limit?: number | null;
  @OptionalFlag('Adds total_storage_size_bytes.') include_total_storage_size?: boolean | null;
  @OptionalTexts('Paths of refs that the filter follows.') expand_columns?: string[] | null;
}

export class CallsQueryRequest {
  @ProjectId() project_id!: string;
  @OptionalPart(() => CallsFilter, 'Conditions on calls.') filter?: CallsFilter | null;
  @OptionalObject('An expression of the query language.') query?: object | null;
  @OptionalCount('Maximum number of calls.') limit?: number | null;
  @OptionalCount('Number of calls to skip.') offset?: number | null;
  @OptionalSort('Oldest first when absent; unordered when empty. Calls without a value come last.')
  sort_by?: SortField[] | null;
  @OptionalTexts('Fields to return; all when absent. Other fields are empty.')
  columns?: string[] | null;
  @OptionalFlag('Adds summary.weave.costs.') include_costs?: boolean | null;
  @OptionalFlag('Adds summary.weave.feedback.') include_feedback?: boolean | null;
  @OptionalFlag('Adds storage_size_bytes.') include_storage_size?: boolean | null;
  @OptionalFlag('Adds total_storage_size_bytes on root calls.') include_total_storage_size?:
    boolean | null;
  @OptionalFlag('Adds wb_username.') include_usernames?: boolean | null;
  @OptionalTexts('Paths of refs to resolve.') expand_columns?: string[] | null;
  @OptionalFlag('False: resolve refs for filter and sort only.') return_expanded_column_values?:
    boolean | null;
  @OptionalFlag('Has no effect: a call is never returned twice.') latest_only?: boolean | null;
}

const EXPORT_FORMATS = ['jsonl', 'csv', 'parquet'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export class CallsExportRequest extends CallsQueryRequest {
  @OneOf('When absent, as the header Accept says; else jsonl.', EXPORT_FORMATS)
  format?: ExportFormat | null;
}

export class CallsQueryStatsResponse {
  @ApiProperty({ type: 'integer' }) count!: number;
  @ApiProperty({ description: 'True when the count stopped at `limit`.' }) has_more!: boolean;
  @ApiProperty({ type: 'integer', nullable: true }) total_storage_size_bytes!: number | null;
}

/** A call as the query API returns it. */
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
  @ApiPropertyOptional({
    type: 'string',
    nullable: true,
    description: 'Present with include_usernames.',
  })
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
