import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { IsInt, IsOptional, Max, Min } from 'class-validator';
import { ProjectId } from './fields.js';

/** A hundred years. */
const RETENTION_DAYS_MAX = 36_500;

const RetentionDays = (): PropertyDecorator =>
  applyDecorators(
    ApiProperty({
      type: 'integer',
      minimum: 1,
      maximum: RETENTION_DAYS_MAX,
      nullable: true,
      required: false,
      description:
        'Calls are deleted this many days after they started; null keeps them indefinitely.',
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
  @RetentionDays() retention_days?: number | null;
}

export class RetentionResponse {
  @ApiProperty({ type: 'integer', nullable: true }) retention_days!: number | null;
}
