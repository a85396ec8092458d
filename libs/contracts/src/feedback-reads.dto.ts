import { ApiProperty } from '@nestjs/swagger';
import { OptionalObject, OptionalTexts, ProjectId } from './fields.js';
import { OptionalLimit } from './object-fields.js';
import { OptionalSort, type SortField } from './object-sort.dto.js';

/** A question about records that have named fields: feedback, prices. */
export class RecordsQueryRequest {
  @ProjectId() project_id!: string;
  @OptionalTexts('Fields to answer; all when absent.') fields?: string[] | null;
  @OptionalObject('An expression of the query language.') query?: object | null;
  @OptionalSort('Fields to sort by.') sort_by?: SortField[] | null;
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
