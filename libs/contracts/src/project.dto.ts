import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { IsInt, IsOptional, Max, Min } from 'class-validator';
import { OptionalCount, OptionalText, ProjectId } from './fields.js';

/** A hundred years. */
const RETENTION_DAYS_MAX = 36_500;

const RetentionDays = (description: string): PropertyDecorator =>
  applyDecorators(
    ApiProperty({
      type: 'integer',
      minimum: 1,
      maximum: RETENTION_DAYS_MAX,
      nullable: true,
      required: false,
      description,
    }),
    IsOptional(),
    IsInt(),
    Min(1),
    Max(RETENTION_DAYS_MAX),
  );

export class RetentionReadRequest {
  @ProjectId() project_id!: string;
}

export class RetentionUpdateRequest {
  @ProjectId() project_id!: string;
  @RetentionDays(
    'Calls are deleted this many days after they started, with the feedback on them; null keeps them indefinitely.',
  )
  retention_days?: number | null;
  @RetentionDays(
    'Feedback is deleted this many days after it was given; null keeps it as long as its call.',
  )
  feedback_retention_days?: number | null;
}

export class RetentionResponse {
  @ApiProperty({ type: 'integer', nullable: true }) retention_days!: number | null;
  @ApiProperty({ type: 'integer', required: false, description: 'Absent when it is not set.' })
  feedback_retention_days?: number;
}

export class ProjectsQueryRequest {
  @OptionalText('Only projects whose id contains this text; case does not matter.')
  search?: string | null;
  @OptionalText('Only projects after this one: `next` of the page before.') after?: string | null;
  @OptionalCount('Maximum number of projects; 100 when absent, at most 1,000.')
  limit?: number | null;
}

/** A project that the key may read. */
export class ProjectSummary {
  @ApiProperty() project_id!: string;
  @ApiProperty({ type: 'integer', description: 'Calls that started in the last 24 hours.' })
  calls!: number;
  @ApiProperty({ type: 'integer', description: 'How many of them failed.' }) errors!: number;
  @ApiProperty({
    type: 'string',
    format: 'date-time',
    nullable: true,
    description: 'When the last call started.',
  })
  last_call_at!: string | null;
  @ApiProperty({
    type: 'number',
    nullable: true,
    description: 'USD of the last 24 hours; null where there is no price.',
  })
  cost!: number | null;
}

export class ProjectsQueryResponse {
  @ApiProperty({ type: [ProjectSummary] }) projects!: ProjectSummary[];
  @ApiProperty({ type: 'string', nullable: true, description: '`after` of the next page.' })
  next!: string | null;
}
