import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  IsArray,
  IsIn,
  IsInt,
  IsNumber,
  IsOptional,
  IsString,
  Max,
  Min,
} from 'class-validator';
import { CallsFilter } from './call-reads.dto.js';
import {
  Choice,
  Ids,
  Timestamp,
  OptionalCount,
  OptionalFlag,
  OptionalTimestamp,
  OptionalObject,
  OptionalPart,
  OptionalParts,
  OptionalText,
  ProjectId,
} from './fields.js';
import { OneOf } from './object-fields.js';

const AGGREGATIONS = ['sum', 'avg', 'min', 'max', 'count', 'count_true', 'count_false'];

const Aggregations = (): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({
      type: 'array',
      items: { type: 'string', enum: AGGREGATIONS },
      nullable: true,
      description:
        'Aggregations to compute; the sum when neither aggregations nor percentiles are given.',
    }),
    IsOptional(),
    IsArray(),
    ArrayMaxSize(10),
    IsIn(AGGREGATIONS, { each: true, message: `each must be one of ${AGGREGATIONS.join(', ')}` }),
  );

export const Percentiles = (): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({ type: 'array', items: { type: 'number' }, nullable: true }),
    IsOptional(),
    IsArray(),
    ArrayMaxSize(10),
    IsNumber({}, { each: true }),
    Min(0, { each: true }),
    Max(100, { each: true }),
  );

/** The width of a time bucket. */
export const Granularity = (): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({
      type: 'integer',
      minimum: 1,
      nullable: true,
      description: 'Width of a time bucket in seconds.',
    }),
    IsOptional(),
    IsInt(),
    Min(1),
    Max(366 * 86400),
  );

const GROUPS_MAX = 20;

const GroupBy = (about: string): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({
      type: 'array',
      items: { type: 'string' },
      maxItems: GROUPS_MAX,
      nullable: true,
      description: about,
    }),
    IsOptional(),
    IsArray(),
    ArrayMaxSize(GROUPS_MAX),
    IsString({ each: true }),
  );

const USAGE_METRICS = [
  'input_tokens',
  'output_tokens',
  'total_tokens',
  'cache_read_input_tokens',
  'cache_creation_input_tokens',
  'input_cost',
  'output_cost',
  'total_cost',
];
const CALL_METRICS = ['latency_ms', 'call_count', 'error_count', 'time_to_first_token_ms'];

export class MetricRequest {
  metric!: string;
  @Aggregations() aggregations?: string[] | null;
  @Percentiles() percentiles?: number[] | null;
}

export class UsageMetric extends MetricRequest {
  @Choice(USAGE_METRICS, 'Counted per model.') declare metric: string;
}

export class CallMetric extends MetricRequest {
  @Choice(CALL_METRICS, 'Counted per call.') declare metric: string;
}

export class CallsStatsRequest {
  @ProjectId() project_id!: string;
  @Timestamp('Calls that started at this time or later.') start!: string;
  @OptionalTimestamp('Calls that started before this time; now when absent.') end?: string | null;
  @Granularity() granularity?: number | null;
  @OptionalParts(() => UsageMetric, 'Tokens and costs, per model.') usage_metrics?:
    UsageMetric[] | null;
  @OptionalParts(() => CallMetric, 'Latency, calls and errors.') call_metrics?: CallMetric[] | null;
  @OptionalPart(() => CallsFilter, 'Conditions on calls.') filter?: CallsFilter | null;
  @OptionalObject('An expression of the query language.') query?: object | null;
  @OptionalText('Time zone in which buckets begin; UTC when absent.') timezone?: string | null;
  @OneOf('`exclusive` subtracts the usage of its children from every call.', [
    'inclusive',
    'exclusive',
  ])
  usage_scope?: 'inclusive' | 'exclusive' | null;
  @GroupBy(
    'model, op, op_version, user, run, thread, trace, status, latency (the lower bound of its band in ms), or a path such as `attributes.team`. Buckets without calls are then left out.',
  )
  group_by?: string[] | null;
}

const bucket = { type: 'object', additionalProperties: true } as const;

export class CallsStatsResponse {
  @ApiProperty({ format: 'date-time' }) start!: string;
  @ApiProperty({ format: 'date-time' }) end!: string;
  @ApiProperty({ type: 'integer' }) granularity!: number;
  @ApiProperty() timezone!: string;
  @ApiProperty({ type: 'array', items: bucket }) usage_buckets!: object[];
  @ApiProperty({ type: 'array', items: bucket }) call_buckets!: object[];
}

export class TraceUsageRequest {
  @ProjectId() project_id!: string;
  @OptionalPart(() => CallsFilter, 'Conditions on calls.') filter?: CallsFilter | null;
  @OptionalObject('An expression of the query language.') query?: object | null;
  @OptionalFlag('Adds costs.') include_costs?: boolean | null;
  @OptionalCount('Maximum number of calls; 10,000 when absent.') limit?: number | null;
}

export class CallsUsageRequest {
  @ProjectId() project_id!: string;
  @Ids('The calls.') call_ids!: string[];
  @OptionalFlag('Adds costs.') include_costs?: boolean | null;
  @OptionalCount('Maximum number of calls; 10,000 when absent.') limit?: number | null;
}

export class UsageResponse {
  @ApiProperty({ type: 'object', additionalProperties: true, description: 'By call, by model.' })
  call_usage!: object;
  @ApiProperty({ type: [String] }) unfinished_call_ids!: string[];
}

const REPORT_FORMATS = ['json', 'csv', 'parquet'] as const;
export type ReportFormat = (typeof REPORT_FORMATS)[number];
export const REPORT_SCOPES = ['roots', 'exclusive', 'all'] as const;

export class CostsReportRequest {
  @ProjectId() project_id!: string;
  @OptionalTimestamp('Calls that started at this time or later.') start?: string | null;
  @OptionalTimestamp('Calls that started before this time; now when absent.') end?: string | null;
  @GroupBy(
    'model, op, op_version, user, run, thread, trace, status, hour, day, month, or a path such as `attributes.team`.',
  )
  group_by?: string[] | null;
  @OptionalPart(() => CallsFilter, 'Conditions on calls.') filter?: CallsFilter | null;
  @OptionalObject('An expression of the query language.') query?: object | null;
  @OptionalText('Time zone of hours, days and months; UTC when absent.') timezone?: string | null;
  @OneOf(
    'Calls whose usage is counted. Clients add the usage of children to their parents, so `roots` (the default) counts calls without a parent and every OpenTelemetry span; `exclusive` counts every call without its children; `all` counts every call as it is.',
    REPORT_SCOPES,
  )
  usage_scope?: (typeof REPORT_SCOPES)[number] | null;
  @OptionalFlag('Also counts calls without usage; their model is empty.')
  include_calls_without_usage?: boolean | null;
  @OneOf('When absent, as the header Accept says; else json.', REPORT_FORMATS)
  format?: ReportFormat | null;
  @OptionalCount('Maximum number of rows.') limit?: number | null;
}

/** Tokens and their cost, for one group and one currency. */
export class CostsReportRow {
  @ApiProperty({ type: 'integer' }) calls!: number;
  @ApiProperty({ type: 'integer' }) requests!: number;
  @ApiProperty({ type: 'integer' }) uncached_input_tokens!: number;
  @ApiProperty({ type: 'integer' }) cache_read_input_tokens!: number;
  @ApiProperty({ type: 'integer' }) cache_creation_input_tokens!: number;
  @ApiProperty({ type: 'integer' }) output_tokens!: number;
  @ApiProperty({ type: 'integer' }) total_tokens!: number;
  @ApiProperty({ type: 'number', nullable: true, description: 'null where there is no price.' })
  total_cost!: number | null;
  @ApiProperty({ type: 'string', nullable: true, description: 'The currency.' }) unit!:
    string | null;
  @ApiProperty({
    enum: ['full', 'partial', 'none', 'unused'],
    description:
      '`full`: all usage has a price. `partial`: total_cost leaves out unpriced_tokens. `none`: no price is known. `unused`: there is no usage.',
  })
  pricing!: string;
  @ApiProperty({ type: 'integer', description: 'Tokens of models without a price.' })
  unpriced_tokens!: number;
}

export class CostsReportResponse {
  @ApiProperty({ type: [CostsReportRow] }) results!: CostsReportRow[];
}
