import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsArray, IsOptional, IsString } from 'class-validator';
import type { JsonText } from '@app/wire';
import { OptionalFlag, OptionalPart, OptionalText, ProjectId, Text } from './fields.js';
import { AnyValue, OptionalLimit, Strings } from './object-fields.js';
import { OptionalSort, type SortField } from './object-sort.dto.js';

export class TableCreateRecord {
  @ProjectId() project_id!: string;
  @AnyValue('A list of JSON objects, each stored as the exact text that was sent.') rows!: JsonText;
  @OptionalText('Respond with 409 unless the digest of the table is this one.') expected_digest?:
    string | null;
}

export class TableCreateRequest {
  @ApiProperty({ type: TableCreateRecord }) table!: TableCreateRecord;
}

export class TableCreateResponse {
  @ApiProperty() digest!: string;
  @ApiProperty({ type: [String], description: 'In the order of the rows.' }) row_digests!: string[];
}

export class TableFromDigestsRequest {
  @ProjectId() project_id!: string;
  @Strings('Rows uploaded before, in order.') row_digests!: string[];
  @OptionalText('Respond with 409 unless the digest of the table is this one.') expected_digest?:
    string | null;
}

/** As TableFromDigestsRequest, with the list as text: it can have millions of digests. */
export class TableFromDigestsRecord {
  @ProjectId() project_id!: string;
  @AnyValue('A list of strings.') row_digests!: JsonText;
  @OptionalText('As in the request.') expected_digest?: string | null;
}

export class TableFromDigestsResponse {
  @ApiProperty() digest!: string;
}

export class TableUpdateRecord {
  @ProjectId() project_id!: string;
  @Text('The table to start from.') base_digest!: string;
  @AnyValue('`{"append":{"row"}}`, `{"insert":{"index","row"}}` or `{"pop":{"index"}}`, in order.')
  updates!: JsonText;
}

export class TableUpdateResponse {
  @ApiProperty() digest!: string;
  @ApiProperty({
    type: [String],
    description: 'One per update; for a pop, the digest of the removed row.',
  })
  updated_row_digests!: string[];
}

export class TableRowsFilter {
  @ApiPropertyOptional({ type: 'array', items: { type: 'string' }, nullable: true })
  @IsOptional()
  @IsArray()
  @IsString({ each: true })
  row_digests?: string[] | null;
}

export class TableQueryRequest {
  @ProjectId() project_id!: string;
  @Text('The table.') digest!: string;
  @OptionalPart(() => TableRowsFilter, 'Conditions on rows.') filter?: TableRowsFilter | null;
  @OptionalLimit('Maximum number of rows.') limit?: number | null;
  @OptionalLimit('Number of rows to skip.') offset?: number | null;
  @OptionalSort('Dotted paths into the row; insertion order when absent.') sort_by?:
    SortField[] | null;
}

export class TableRowSchema {
  @ApiProperty() digest!: string;
  @ApiProperty({ type: 'object', additionalProperties: true }) val!: unknown;
  @ApiProperty({ type: 'integer', description: 'Position in the table, from 0.' })
  original_index!: number;
}

export class TableQueryResponse {
  @ApiProperty({ type: [TableRowSchema] }) rows!: TableRowSchema[];
}

export class TableStatsRequest {
  @ProjectId() project_id!: string;
  @Text('The table.') digest!: string;
}

export class TableStatsResponse {
  @ApiProperty({ type: 'integer', description: 'Number of rows; 0 for an unknown table.' })
  count!: number;
}

export class TablesStatsRequest {
  @ProjectId() project_id!: string;
  @Strings('The tables.') digests!: string[];
  @OptionalFlag('Return storage_size_bytes.') include_storage_size?: boolean | null;
}

export class TableStats {
  @ApiProperty() digest!: string;
  @ApiProperty({ type: 'integer' }) count!: number;
  @ApiPropertyOptional({ type: 'integer', nullable: true }) storage_size_bytes?: number | null;
}

export class TablesStatsResponse {
  @ApiProperty({ type: [TableStats], description: 'Unknown tables are left out.' })
  tables!: TableStats[];
}
