import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  IsArray,
  IsNumber,
  IsOptional,
  IsString,
  Length,
  Max,
  Min,
} from 'class-validator';
import { applyDecorators } from '@nestjs/common';
import { RecordsQueryRequest } from './feedback-reads.dto.js';
import {
  OptionalFlag,
  OptionalParts,
  OptionalText,
  OptionalTimestamp,
  PayloadObject,
  ProjectId,
} from './fields.js';
import type { JsonText } from '@app/wire';

/** Largest cost of one token. More than a million of any currency is a mistake. */
const COST_MAX = 1_000_000;

const cost = [IsNumber(), Min(0), Max(COST_MAX)];
const TokenCost = (about: string): PropertyDecorator =>
  applyDecorators(
    ApiProperty({ type: 'number', minimum: 0, maximum: COST_MAX, description: about }),
    ...cost,
  );
const OptionalTokenCost = (about: string): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({ type: 'number', minimum: 0, nullable: true, description: about }),
    IsOptional(),
    ...cost,
  );

/** The cost of one token of a model. */
export class CostCreateRecord {
  @TokenCost('Cost of an input token.') prompt_token_cost!: number;
  @TokenCost('Cost of an output token.') completion_token_cost!: number;
  @OptionalTokenCost('Cost of an input token read from a cache; 0 when absent.')
  cache_read_input_token_cost?: number | null;
  @OptionalTokenCost('Cost of an input token written to a cache; 0 when absent.')
  cache_creation_input_token_cost?: number | null;
  @OptionalText('A currency code; USD when absent.') prompt_token_cost_unit?: string | null;
  @OptionalText('A currency code; USD when absent.') completion_token_cost_unit?: string | null;
  @OptionalTimestamp('When the price takes effect; now when absent.') effective_date?:
    string | null;
  @OptionalText('`default` when absent.') provider_id?: string | null;
}

/** A price that is not stored, of one model. */
export class WhatIfPrice extends CostCreateRecord {
  @ApiProperty({ type: 'string', minLength: 1, maxLength: 256, description: 'The model.' })
  @IsString()
  @Length(1, 256)
  llm_id!: string;
}

const WHAT_IF_MAX = 100;

export class WhatIfRequest {
  @ProjectId() project_id!: string;
  @OptionalParts(() => WhatIfPrice, 'Prices that would be set.', WHAT_IF_MAX)
  prices?: WhatIfPrice[] | null;

  @ApiPropertyOptional({
    type: [String],
    maxItems: WHAT_IF_MAX,
    nullable: true,
    description: "Ids of the project's prices that would be removed.",
  })
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(WHAT_IF_MAX)
  @IsString({ each: true })
  without?: string[] | null;

  @OptionalTimestamp('Only calls that started at or after it.') start?: string | null;
  @OptionalTimestamp('Only calls that started before it.') end?: string | null;
}

const decimalText = { type: 'string', example: '12.41', description: 'A decimal.' } as const;

export class WhatIfCostRecord {
  @ApiProperty({ example: 'USD' }) unit!: string;
  @ApiProperty(decimalText) cost_now!: string;
  @ApiProperty(decimalText) would_cost!: string;
  @ApiProperty(decimalText) difference!: string;
}

export class WhatIfModelRecord {
  @ApiProperty() model!: string;
  @ApiProperty() calls!: number;
  @ApiProperty({ description: 'Tokens that have no price now.' }) unpriced_tokens_now!: number;
  @ApiProperty({ description: 'Tokens that would have none.' }) unpriced_tokens_then!: number;
  @ApiProperty({ type: [WhatIfCostRecord] }) costs!: readonly WhatIfCostRecord[];
}

export class WhatIfResponse {
  @ApiProperty({ type: [WhatIfModelRecord] }) models!: readonly WhatIfModelRecord[];
  @ApiProperty({ type: [WhatIfCostRecord], description: 'One for each currency.' })
  totals!: readonly WhatIfCostRecord[];
}

export class RepricingRequest {
  @ProjectId() project_id!: string;
}

export class RepricingResponse {
  @ApiProperty({ description: 'Whether the stored costs of all calls are of the current prices.' })
  is_current!: boolean;

  @ApiProperty({
    type: 'string',
    format: 'date-time',
    nullable: true,
    description: 'When a price last changed; null when all costs are current.',
  })
  changed_at!: string | null;

  @ApiProperty({ description: 'Calls whose stored cost was refreshed.' }) calls_done!: number;
  @ApiProperty({ description: 'Calls in all; 0 until the refresh begins.' }) calls_total!: number;
}

export class CostCreateEnvelope {
  @ProjectId() project_id!: string;
  @PayloadObject('Prices by model, with the model names of `summary.usage`.') costs!: JsonText;
}

export class CostCreateRequest {
  @ApiProperty({ example: 'acme/demo' }) project_id!: string;
  @ApiProperty({
    type: 'object',
    additionalProperties: { $ref: '#/components/schemas/CostCreateRecord' },
    description: 'Prices by model, with the model names of `summary.usage`.',
  })
  costs!: Record<string, CostCreateRecord>;
}

export class CostCreateResponse {
  @ApiProperty({
    type: 'array',
    items: { type: 'array', items: { type: 'string' } },
    example: [['gpt-x', '0198…']],
    description: 'Pairs of model and id.',
  })
  ids!: [llmId: string, costId: string][];
}

const nullableNumber = { type: 'number', nullable: true } as const;
const nullableText = { type: 'string', nullable: true } as const;

export class CostQueryRequest extends RecordsQueryRequest {
  @OptionalFlag('Adds the default prices, and the fields pricing_level and source.')
  include_defaults?: boolean | null;
}

/** A price of the project, or a default. Fields that were not requested are absent. */
export class CostSchema {
  @ApiPropertyOptional(nullableText) id?: string;
  @ApiPropertyOptional(nullableText) llm_id?: string;
  @ApiPropertyOptional(nullableNumber) prompt_token_cost?: number;
  @ApiPropertyOptional(nullableNumber) completion_token_cost?: number;
  @ApiPropertyOptional(nullableNumber) cache_read_input_token_cost?: number;
  @ApiPropertyOptional(nullableNumber) cache_creation_input_token_cost?: number;
  @ApiPropertyOptional(nullableText) prompt_token_cost_unit?: string;
  @ApiPropertyOptional(nullableText) completion_token_cost_unit?: string;
  @ApiPropertyOptional({ ...nullableText, format: 'date-time' }) effective_date?: string;
  @ApiPropertyOptional(nullableText) provider_id?: string;
  @ApiPropertyOptional({ ...nullableText, description: '`project` or `default`.' })
  pricing_level?: string;
  @ApiPropertyOptional({ ...nullableText, description: 'Where a default price comes from.' })
  source?: string;
}

export class CostQueryResponse {
  @ApiProperty({ type: [CostSchema] }) results!: CostSchema[];
}
