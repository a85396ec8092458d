import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsInt, IsNumber, IsOptional, Max, Min } from 'class-validator';
import {
  Timestamp,
  OptionalTimestamp,
  OptionalParts,
  OptionalText,
  OptionalTexts,
  ProjectId,
  Text,
} from './fields.js';
import { OneOf } from './object-fields.js';
import { Granularity, Percentiles } from './usage.dto.js';

const FEEDBACK_VALUES = ['numeric', 'boolean', 'categorical'] as const;
export type FeedbackValue = (typeof FEEDBACK_VALUES)[number];

/** A value inside payloads and the statistics to compute over it. */
export class FeedbackMetric {
  @Text('A path inside the payload, such as `output.score`.') json_path!: string;
  @OneOf('numeric when absent.', FEEDBACK_VALUES) value_type?: FeedbackValue | null;
  @OptionalTexts('avg, min, max, sum, count, count_true, count_false.') aggregations?:
    string[] | null;
  @Percentiles() percentiles?: number[] | null;
}

class FeedbackWindow {
  @ProjectId() project_id!: string;
  @Timestamp('Feedback given at this time or later.') start!: string;
  @OptionalTimestamp('Feedback given before this time; now when absent.') end?: string | null;
  @OptionalText('Only feedback of this type.') feedback_type?: string | null;
  @OptionalText('Triggered by this ref or by one that starts with it.') trigger_ref?: string | null;
}

export class FeedbackStatsRequest extends FeedbackWindow {
  @Granularity() granularity?: number | null;
  @OptionalText('UTC when absent.') timezone?: string | null;
  @OptionalParts(() => FeedbackMetric, 'Statistics to compute.') metrics?: FeedbackMetric[] | null;
}

const anyObject = { type: 'object', additionalProperties: true } as const;

export class FeedbackStatsResponse {
  @ApiProperty({ format: 'date-time' }) start!: string;
  @ApiProperty({ format: 'date-time' }) end!: string;
  @ApiProperty({ type: 'integer' }) granularity!: number;
  @ApiProperty() timezone!: string;
  @ApiProperty({ type: 'array', items: anyObject }) buckets!: object[];
  @ApiProperty(anyObject) window_stats!: object;
}

const SAMPLE_MAX = 5000;

export class FeedbackSchemaRequest extends FeedbackWindow {
  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: SAMPLE_MAX, nullable: true })
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(SAMPLE_MAX)
  sample_limit?: number | null;
}

export class PayloadPath {
  @ApiProperty() json_path!: string;
  @ApiProperty({ enum: [...FEEDBACK_VALUES] }) value_type!: string;
}

export class FeedbackSchemaResponse {
  @ApiProperty({ type: [PayloadPath] }) paths!: PayloadPath[];
}

const Millis = (about: string): PropertyDecorator =>
  applyDecorators(
    ApiProperty({ type: 'integer', description: about }),
    IsInt(),
    Min(0),
    Max(8_640_000_000_000_000),
  );

const OptionalNumber = (about: string): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({ type: 'number', nullable: true, description: about }),
    IsOptional(),
    IsNumber(),
  );

export class FeedbackAggregateRequest {
  @ProjectId() project_id!: string;
  @Millis('Feedback given at this time or later, in milliseconds since 1970.') after_ms!: number;
  @Millis('Feedback given before this time, in milliseconds since 1970.') before_ms!: number;
  @Granularity() time_bucket_seconds?: number | null;
  @OptionalTexts('Types that start with any of these prefixes.') feedback_types?: string[] | null;
  @OptionalTexts('With any of these tags.') tags?: string[] | null;
  @OptionalNumber('With a rating of at least this.') rating_min?: number | null;
  @OptionalNumber('With a rating of at most this.') rating_max?: number | null;
  @OptionalTexts('Triggered by any of these monitors, by name or ref; `…*` is a prefix.')
  monitor_ids?: string[] | null;
  @OptionalTexts('Created by any of these scorers, by name or ref; `…*` is a prefix.') scorer_ids?:
    string[] | null;
  @OptionalTexts('About spans of any of these agents.') span_agent_names?: string[] | null;
  @OptionalTexts('About spans with any of these kinds of refs.') span_types?: string[] | null;
  @OptionalTexts('scorer_id, span_agent_name, span_agent_version, span_status_code.') group_by?:
    string[] | null;
}

export class FeedbackAggregateResponse {
  @ApiProperty({ type: 'integer', nullable: true }) time_bucket_seconds!: number | null;
  @ApiProperty({ type: 'integer' }) after_ms!: number;
  @ApiProperty({ type: 'integer' }) before_ms!: number;
  @ApiProperty({ type: 'array', items: anyObject }) buckets!: object[];
}
