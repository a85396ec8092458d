import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  IsIn,
  IsNumber,
  IsOptional,
  IsString,
  Matches,
  Max,
  MaxLength,
  Min,
} from 'class-validator';
import { Choice, OptionalFlag, OptionalInteger, ProjectId } from './fields.js';

const KINDS = ['cost', 'error_rate', 'latency', 'dead_letters', 'no_data'] as const;
const STATES = ['ok', 'firing', 'no_data', 'error'] as const;
const PERCENTILES = [50, 75, 90, 95, 99] as const;
const NAME = /^[^\u0000-\u001f\u007f]{1,128}$/;
const THRESHOLD_MAX = 1e12;
const WEEK_MINUTES = 10_080;

const KIND_ABOUT =
  'What the rule watches: `cost` of the current day (UTC) in USD, `error_rate` in percent, `latency` in milliseconds, the number of open `dead_letters`, or `no_data`, which fires when no call started.';

const optional = (...decorators: PropertyDecorator[]) =>
  applyDecorators(...decorators, IsOptional());

const Threshold = () =>
  optional(
    ApiPropertyOptional({
      type: 'number',
      minimum: 0,
      maximum: THRESHOLD_MAX,
      nullable: true,
      description: 'The rule fires while the value is greater. Required, except for `no_data`.',
    }),
    IsNumber({ allowNaN: false, allowInfinity: false }),
    Min(0),
    Max(THRESHOLD_MAX),
  );

const Percentile = () =>
  optional(
    ApiPropertyOptional({
      type: 'integer',
      enum: [...PERCENTILES],
      nullable: true,
      description: 'Of `latency`; 95 when absent.',
    }),
    IsIn(PERCENTILES, { message: `must be one of ${PERCENTILES.join(', ')}` }),
  );

const Op = () =>
  optional(
    ApiPropertyOptional({
      type: 'string',
      maxLength: 512,
      nullable: true,
      description: 'Only calls of this op, without its version. Not for `cost` and `dead_letters`.',
    }),
    IsString(),
    MaxLength(512),
  );

const WebhookUrl = (about: string) =>
  optional(
    ApiPropertyOptional({ type: 'string', maxLength: 2048, nullable: true, description: about }),
    IsString(),
    MaxLength(2048),
  );

const RuleId = () =>
  applyDecorators(
    ApiProperty({ type: 'string', format: 'uuid', description: 'As `query` returns it.' }),
    Matches(/^[0-9a-f-]{36}$/, { message: 'must be the id of an alert rule' }),
  );

const WINDOW_ABOUT =
  'The newest minutes that count, for `error_rate`, `latency` and `no_data`; 15 when absent.';

export class AlertCreateRequest {
  @ProjectId() project_id!: string;

  @ApiProperty({ type: 'string', pattern: NAME.source, example: 'Too many errors' })
  @Matches(NAME, { message: 'must be a name of 1 to 128 characters' })
  name!: string;

  @Choice(KINDS, KIND_ABOUT) kind!: (typeof KINDS)[number];
  @Threshold() threshold?: number | null;
  @Percentile() percentile?: number | null;
  @OptionalInteger(1, WEEK_MINUTES, WINDOW_ABOUT) window_minutes?: number | null;
  @Op() op?: string | null;
  @WebhookUrl('Where changes are sent; nowhere when absent. It is never shown again.')
  webhook_url?: string | null;
}

/** What is absent stays as it is. The kind of a rule does not change. */
export class AlertUpdateRequest {
  @ProjectId() project_id!: string;
  @RuleId() id!: string;

  @ApiPropertyOptional({ type: 'string', pattern: NAME.source, nullable: true })
  @IsOptional()
  @Matches(NAME, { message: 'must be a name of 1 to 128 characters' })
  name?: string | null;

  @Threshold() threshold?: number | null;
  @Percentile() percentile?: number | null;
  @OptionalInteger(1, WEEK_MINUTES, WINDOW_ABOUT) window_minutes?: number | null;
  @Op() op?: string | null;
  @OptionalFlag('A rule that is not enabled is not evaluated.') is_enabled?: boolean | null;
  @WebhookUrl('The new URL; an empty text removes the webhook.') webhook_url?: string | null;
  @OptionalFlag('Make a new secret for the webhook.') rotate_secret?: boolean | null;
}

export class AlertsQueryRequest {
  @ProjectId() project_id!: string;
}

/** One rule of a project. */
export class AlertRequest {
  @ProjectId() project_id!: string;
  @RuleId() id!: string;
}

export class AlertRecord {
  @ApiProperty() id!: string;
  @ApiProperty() name!: string;
  @ApiProperty({ enum: [...KINDS] }) kind!: string;
  @ApiProperty({ type: String, nullable: true, description: 'Decimal text.' })
  threshold!: string | null;
  @ApiProperty({ type: Number, nullable: true }) percentile!: number | null;
  @ApiProperty({ type: Number, nullable: true }) window_minutes!: number | null;
  @ApiProperty({ type: String, nullable: true }) op!: string | null;
  @ApiProperty() is_enabled!: boolean;
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'https://hooks.example.com/…',
    description: 'The origin of the webhook. The rest of its URL may be a credential.',
  })
  webhook!: string | null;
  @ApiProperty() created_at!: string;
  @ApiProperty() created_by!: string;
  @ApiProperty() updated_at!: string;
  @ApiProperty({ enum: [...STATES], nullable: true, description: 'Null before it is evaluated.' })
  state!: string | null;
  @ApiProperty({ type: String, nullable: true }) since!: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'Decimal text.' })
  value!: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'Why there is no value.' })
  message!: string | null;
  @ApiProperty({ type: String, nullable: true }) evaluated_at!: string | null;
}

export class NewAlertResponse extends AlertRecord {
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The secret of a new webhook, which is shown once; null when there is no new one.',
  })
  secret!: string | null;
}

export class AlertsQueryResponse {
  @ApiProperty({ type: [AlertRecord] }) alerts!: AlertRecord[];
}

export class AlertTestResponse {
  @ApiProperty() is_delivered!: boolean;
  @ApiProperty({ type: Number, nullable: true, description: 'Of the receiver; null without one.' })
  status!: number | null;
  @ApiProperty() took_ms!: number;
  @ApiProperty({ type: String, nullable: true }) error!: string | null;
}

export class AlertDeliveryRecord {
  @ApiProperty({ enum: ['pending', 'delivered', 'failed'] }) status!: string;
  @ApiProperty() attempts!: number;
  @ApiProperty({ type: String, nullable: true }) next_at!: string | null;
  @ApiProperty({ type: String, nullable: true }) error!: string | null;
}

export class AlertEventRecord {
  @ApiProperty({ description: 'Also the `webhook-id` of its delivery.' }) id!: string;
  @ApiProperty() at!: string;
  @ApiProperty({ type: String, enum: [...STATES], nullable: true }) from!: string | null;
  @ApiProperty({ enum: [...STATES] }) to!: string;
  @ApiProperty({ type: String, nullable: true }) value!: string | null;
  @ApiProperty({ type: String, nullable: true }) message!: string | null;
  @ApiProperty({ type: AlertDeliveryRecord, nullable: true, description: 'Null when not sent.' })
  delivery!: AlertDeliveryRecord | null;
}

export class AlertHistoryResponse {
  @ApiProperty({ type: [AlertEventRecord], description: 'The newest 50, newest first.' })
  events!: AlertEventRecord[];
}
