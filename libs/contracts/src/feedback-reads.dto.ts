import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsArray, IsOptional, ValidateNested } from 'class-validator';
import { OptionalObject, OptionalTexts, ProjectId } from './fields.js';
import { OptionalLimit } from './object-fields.js';
import { SortField } from './object-sort.dto.js';

/** A question about records that have named fields: feedback, prices. */
export class RecordsQueryRequest {
  @ProjectId() project_id!: string;
  @OptionalTexts('Fields to answer; all when absent.') fields?: string[] | null;
  @OptionalObject('An expression of the query language.') query?: object | null;
  @ApiPropertyOptional({ type: [SortField], nullable: true, description: 'Fields to sort by.' })
  @IsOptional()
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => SortField)
  sort_by?: SortField[] | null;
  @OptionalLimit('At most this many.') limit?: number | null;
  @OptionalLimit('Leave out this many first.') offset?: number | null;
}

export class FeedbackQueryResponse {
  @ApiProperty({
    type: 'array',
    items: { type: 'object', additionalProperties: true },
    description: 'Each with the fields that were asked for.',
  })
  result!: object[];
  @ApiProperty({ type: 'integer', description: 'Whatever limit and offset are.' })
  total_count!: number;
}
