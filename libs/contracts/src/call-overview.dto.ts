import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsOptional,
  IsString,
  MaxLength,
} from 'class-validator';
import { CallSchema, CallsFilter } from './call-reads.dto.js';
import {
  Choice,
  Id,
  OptionalCount,
  OptionalInteger,
  OptionalObject,
  OptionalPart,
  OptionalText,
  OptionalTexts,
  OptionalTimestamp,
  ProjectId,
} from './fields.js';
import { OptionalSort, type SortField } from './object-sort.dto.js';

/** Which calls to summarise. */
class CallsOverviewRequest {
  @ProjectId() project_id!: string;
  @OptionalPart(() => CallsFilter, 'Conditions on calls.') filter?: CallsFilter | null;
  @OptionalObject('An expression of the query language.') query?: object | null;
  @OptionalTimestamp('Calls that started at this time or later.') start?: string | null;
  @OptionalTimestamp('Calls that started before this time; now when absent.') end?: string | null;
}

export class CallsHistogramRequest extends CallsOverviewRequest {
  @OptionalInteger(1, 500, 'Number of buckets of equal width; 60 when absent.')
  buckets?: number | null;
}

const counts = { type: 'array', items: { type: 'integer' } } as const;

export class CallsHistogramResponse {
  @ApiProperty({ format: 'date-time' }) start!: string;
  @ApiProperty({ format: 'date-time' }) end!: string;
  @ApiProperty({ description: 'Width of a bucket.' }) bucket_seconds!: number;
  @ApiProperty({ ...counts, description: 'Calls that started in each bucket.' }) calls!: number[];
  @ApiProperty({ ...counts, description: 'How many of them failed.' }) errors!: number[];
  @ApiProperty({ type: 'integer' }) total!: number;
  @ApiProperty({ type: 'integer' }) total_errors!: number;
}

const FIELDS_MAX = 10;
const FIELD_MAX_LENGTH = 500;

export class CallsFacetsRequest extends CallsOverviewRequest {
  @ApiProperty({
    type: 'array',
    items: { type: 'string', maxLength: FIELD_MAX_LENGTH },
    minItems: 1,
    maxItems: FIELDS_MAX,
    description:
      '`model`, or fields of the query language such as `op_name`, `summary.weave.status` and `inputs.customer`.',
  })
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(FIELDS_MAX)
  @IsString({ each: true })
  @MaxLength(FIELD_MAX_LENGTH, { each: true })
  fields!: string[];
  @OptionalInteger(1, 100, 'Values per field; 10 when absent.') limit?: number | null;
}

export class FacetValue {
  @ApiProperty({ description: 'As text, cut at 500 characters.' }) value!: string;
  @ApiProperty({ type: 'integer' }) count!: number;
}

export class Facet {
  @ApiProperty() field!: string;
  @ApiProperty({ type: [FacetValue], description: 'The most frequent values.' })
  values!: FacetValue[];
  @ApiProperty({ type: 'integer', description: 'Number of different values.' }) distinct!: number;
  @ApiProperty({ type: 'integer', description: 'Calls without a value.' }) missing!: number;
}

export class CallsFacetsResponse {
  @ApiProperty({ type: 'integer', description: 'Calls that were counted.' }) calls!: number;
  @ApiProperty({ description: 'True when only the newest 100,000 matching calls were counted.' })
  sampled!: boolean;
  @ApiProperty({ type: [Facet] }) facets!: Facet[];
}

const PREVIEW_COLUMNS_MAX = 10;

export class CallsPreviewRequest {
  @ProjectId() project_id!: string;
  @OptionalPart(() => CallsFilter, 'Conditions on calls.') filter?: CallsFilter | null;
  @OptionalObject('An expression of the query language.') query?: object | null;
  @OptionalInteger(1, 500, 'Maximum number of calls; 100 when absent.') limit?: number | null;
  @OptionalCount('Number of calls to skip.') offset?: number | null;
  @OptionalSort('Oldest first when absent. Calls without a value come last.')
  sort_by?: SortField[] | null;
  @OptionalInteger(1, 2000, 'Characters of each text; 300 when absent.') characters?: number | null;
  @ApiPropertyOptional({
    type: 'array',
    nullable: true,
    items: { type: 'string', maxLength: FIELD_MAX_LENGTH },
    maxItems: PREVIEW_COLUMNS_MAX,
    description: 'More fields of the query language, such as `inputs.customer`, for `values`.',
  })
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(PREVIEW_COLUMNS_MAX)
  @IsString({ each: true })
  @MaxLength(FIELD_MAX_LENGTH, { each: true })
  columns?: string[] | null;
  @ApiPropertyOptional({
    type: 'string',
    nullable: true,
    maxLength: FIELD_MAX_LENGTH,
    description: 'A text to find in inputs and output, for `hits`.',
  })
  @IsOptional()
  @IsString()
  @MaxLength(FIELD_MAX_LENGTH)
  highlight?: string | null;
}

export class PayloadPreview {
  @ApiProperty({ description: 'The first characters of the JSON text.' }) text!: string;
  @ApiProperty({ type: 'integer', description: 'Bytes of the whole payload.' }) bytes!: number;
}

export class PayloadHit {
  @ApiProperty({ enum: ['inputs', 'output'] }) member!: 'inputs' | 'output';
  @ApiProperty({ type: 'integer', description: 'The character at which the text begins.' })
  offset!: number;
  @ApiProperty({ type: 'integer', description: 'Its characters in the JSON text.' })
  length!: number;
  @ApiProperty({ description: 'The text with some characters before and after it.' })
  snippet!: string;
}

const text = { type: 'string', nullable: true } as const;

/** A call as a list shows it. */
export class CallPreview {
  @ApiProperty() id!: string;
  @ApiProperty() trace_id!: string;
  @ApiProperty(text) parent_id!: string | null;
  @ApiProperty() op_name!: string;
  @ApiProperty(text) display_name!: string | null;
  @ApiProperty({ format: 'date-time' }) started_at!: string;
  @ApiProperty({ ...text, format: 'date-time' }) ended_at!: string | null;
  @ApiProperty() status!: string;
  @ApiProperty({ type: 'integer', nullable: true }) latency_ms!: number | null;
  @ApiProperty(text) wb_user_id!: string | null;
  @ApiProperty(text) thread_id!: string | null;
  @ApiProperty(text) exception!: string | null;
  @ApiProperty({ type: PayloadPreview }) inputs!: PayloadPreview;
  @ApiProperty({ type: PayloadPreview }) output!: PayloadPreview;
  @ApiProperty({ type: 'integer' }) tokens!: number;
  @ApiProperty({ type: 'number', nullable: true, description: 'US dollars.' }) cost!: number | null;
  @ApiProperty({ type: 'integer', description: 'Number of feedback records.' }) feedback!: number;
  @ApiProperty({
    type: 'array',
    items: text,
    description: 'The values of `columns` as text, cut; null where there is none.',
  })
  values!: (string | null)[];
  @ApiProperty({ type: [PayloadHit], description: 'The first place in each payload.' })
  hits!: PayloadHit[];
}

const PAYLOAD_MEMBERS = ['inputs', 'output', 'attributes', 'summary'] as const;
export type PayloadMember = (typeof PAYLOAD_MEMBERS)[number];

const MiB = 1024 * 1024;

export class CallPayloadRequest {
  @ProjectId() project_id!: string;
  @Id('The call.') id!: string;
  @Choice(PAYLOAD_MEMBERS, 'The payload to read, as the JSON text that was sent.')
  member!: PayloadMember;
  @OptionalCount('First byte; 0 when absent.') offset?: number | null;
  @OptionalInteger(1, 16 * MiB, 'Number of bytes; 1 MiB when absent, at most 16 MiB.')
  length?: number | null;
}

export class CallsTailRequest {
  @ProjectId() project_id!: string;
  @OptionalPart(() => CallsFilter, 'Conditions on calls.') filter?: CallsFilter | null;
  @OptionalObject('An expression of the query language.') query?: object | null;
  @OptionalTexts('Fields to return; all when absent. Other fields are empty.')
  columns?: string[] | null;
  @OptionalText('The id of the last event that was received, to continue after it.')
  since?: string | null;
}

/** The data of an event `calls`. */
export class CallsTailEvent {
  @ApiProperty({ type: [CallSchema], description: 'Calls that are new or have changed.' })
  calls!: CallSchema[];
  @ApiProperty({ type: [String], description: 'Ids of calls that were deleted.' })
  deleted!: string[];
}
