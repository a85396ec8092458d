import { ApiProperty } from '@nestjs/swagger';
import { OptionalObject, OptionalTexts, ProjectId } from './fields.js';
import { OptionalLimit } from './object-fields.js';
import { OptionalSort, type SortField } from './object-sort.dto.js';

/** A query of records with named fields: feedback or prices. */
export class RecordsQueryRequest {
  @ProjectId() project_id!: string;
  @OptionalTexts('Fields to return; all when absent.') fields?: string[] | null;
  @OptionalObject('An expression of the query language.') query?: object | null;
  @OptionalSort('Fields to sort by.') sort_by?: SortField[] | null;
  @OptionalLimit('Maximum number of records.') limit?: number | null;
  @OptionalLimit('Number of records to skip.') offset?: number | null;
}

export class FeedbackQueryResponse {
  @ApiProperty({
    type: 'array',
    items: { type: 'object', additionalProperties: true },
    description: 'Records with the requested fields.',
  })
  result!: object[];
  @ApiProperty({
    type: 'integer',
    description: 'Number of matching records, regardless of limit and offset.',
  })
  total_count!: number;
}
