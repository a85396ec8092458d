import { ApiProperty } from '@nestjs/swagger';
import { OptionalId, OptionalText, ProjectId, Text } from './fields.js';

/** What to erase permanently: the project, or one trace or one user of it. */
export class ErasureCreateRequest {
  @ProjectId() project_id!: string;
  @OptionalId('Only this trace.') trace_id?: string | null;
  @OptionalText('Only what this user wrote.') user?: string | null;
  @Text('Repeats what is erased: the trace, else the user, else the project.') confirm!: string;
}

const nullableText = { type: 'string', nullable: true } as const;

export class ErasureRecord {
  @ApiProperty() id!: string;
  @ApiProperty() project_id!: string;
  @ApiProperty(nullableText) trace_id!: string | null;
  @ApiProperty(nullableText) user!: string | null;
  @ApiProperty({ description: 'The user of the key.' }) requested_by!: string;
  @ApiProperty({ format: 'date-time' }) requested_at!: string;
  @ApiProperty({ enum: ['requested', 'running', 'done', 'failed'] }) state!: string;
  @ApiProperty({ ...nullableText, format: 'date-time' }) ended_at!: string | null;
  @ApiProperty({ type: 'integer' }) calls!: number;
  @ApiProperty({ type: 'integer', description: 'In the bucket.' }) files!: number;
  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'integer' },
    description: 'Rows that were deleted, by table.',
  })
  rows!: Readonly<Record<string, number>>;
  @ApiProperty({ type: [String], description: 'Copies that Heddle cannot reach.' })
  not_reached!: readonly string[];
  @ApiProperty({ ...nullableText, description: 'Why it failed.' }) error!: string | null;
}

export class ErasuresQueryRequest {
  @OptionalText('A project, an entity or `*`. When absent: the scope of the key.')
  scope?: string | null;
}

export class ErasuresQueryResponse {
  @ApiProperty({ type: [ErasureRecord], description: 'At most 200, the newest first.' })
  erasures!: ErasureRecord[];
}
