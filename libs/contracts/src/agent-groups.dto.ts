import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsNumber, IsObject, IsOptional, Matches, MaxLength, ValidateBy } from 'class-validator';
import { parseTimestamp } from '@app/wire';
import {
  Choice,
  OptionalInteger,
  OptionalPart,
  OptionalParts,
  OptionalText,
  Part,
  Text,
} from './fields.js';
import { OneOf } from './object-fields.js';

const SOURCES = [
  ...['field', 'column', 'derived'],
  ...['custom_attrs_string', 'custom_attrs_int', 'custom_attrs_float', 'custom_attrs_bool'],
];
export const AGGREGATIONS = [
  ...['sum', 'avg', 'min', 'max', 'count'],
  ...['count_distinct', 'count_true', 'count_false'],
];
const ATTRIBUTES = SOURCES.filter((source) => source.startsWith('custom_attrs_'));

export const VALUE_TYPES = ['datetime', 'number', 'boolean', 'string'];
export const GROUPS_MAX = 5;
/** Characters that a name in a response may have. */
const NAME = /^[a-zA-Z_]\w*$/;

/** A field of a span, or one of its own attributes. */
export class SpanValueRef {
  @Text('A field such as `agent_name` or `agent.name`, or the name of an attribute.') key!: string;
  @OneOf('field when absent.', SOURCES) source?: string | null;
}

export class SpanGroupRef extends SpanValueRef {
  @OptionalText('The name of the group in the response; the key when absent.') alias?:
    string | null;
}

export class SpanMeasure {
  @Text('Its name in the response.') @MaxLength(256) alias!: string;
  @Choice(AGGREGATIONS, 'How values are aggregated.') aggregation!: string;
  @OptionalPart(() => SpanValueRef, 'The value; not needed for count.') value?: SpanValueRef | null;
  @OneOf('Accepted: the value has the type of its field.', VALUE_TYPES) value_type?: string | null;
  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description: 'Only spans that match this expression.',
  })
  @IsOptional()
  @IsObject()
  filter?: object | null;
}

const isBound = (value: unknown): boolean =>
  typeof value === 'number'
    ? Number.isFinite(value)
    : typeof value === 'string' && parseTimestamp(value) !== undefined;

const Bound = (about: string): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({
      oneOf: [{ type: 'number' }, { type: 'string', format: 'date-time' }],
      nullable: true,
      description: about,
    }),
    IsOptional(),
    ValidateBy({
      name: 'isBound',
      validator: { validate: isBound, defaultMessage: () => 'must be a number or a date-time' },
    }),
  );

/** Selects the spans of groups of which a measure is in a range. */
export class SpanGroupFilter {
  @OptionalParts(() => SpanGroupRef, 'The groups; those of the request when absent.', GROUPS_MAX)
  group_by?: SpanGroupRef[] | null;
  @Part(() => SpanMeasure, 'What is measured of each group.') measure!: SpanMeasure;
  @Bound('The least value; a date-time for a measure of times.') min?: number | string | null;
  @Bound('The greatest value.') max?: number | string | null;
}

export class SpanAttributeRef {
  @Text('The name of the attribute.') key!: string;
  @Choice(ATTRIBUTES, 'Its type.') source!: string;
}

/** Counts the values of an attribute in each group. */
export class SpanDistribution {
  @Text('Its name in the response.') @MaxLength(256) @Matches(NAME) alias!: string;
  @Part(() => SpanAttributeRef, 'The attribute.') value!: SpanAttributeRef;
  @OptionalInteger(1, 50, 'Ranges of a number; 12 when absent.') bins?: number | null;
  @OptionalInteger(1, 20, 'The most frequent texts; 5 when absent.') top_n?: number | null;
}

const OptionalNumber = (about: string): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({ type: 'number', nullable: true, description: about }),
    IsOptional(),
    IsNumber(),
  );

/** Buckets by time, or by a number: the value of each span, or a measure of each group. */
export class SpanBuckets {
  @OneOf('time when absent.', ['time', 'number']) type?: string | null;
  @OptionalText('The name of the number.') alias?: string | null;
  @OptionalInteger(1, 200, 'Number of buckets of equal width; 24 when absent.') bins?:
    number | null;
  @OptionalNumber('Where the first begins; at the least value when absent.') min?: number | null;
  @OptionalNumber('Where the last ends; at the greatest value when absent.') max?: number | null;
  @OptionalPart(() => SpanValueRef, 'The number of each span.') value?: SpanValueRef | null;
  @OptionalParts(() => SpanGroupRef, 'The groups that are measured.', GROUPS_MAX) group_by?:
    SpanGroupRef[] | null;
  @OptionalPart(() => SpanMeasure, 'The number of each group.') measure?: SpanMeasure | null;
}
