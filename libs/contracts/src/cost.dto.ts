import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsNumber, IsOptional, Max, Min } from 'class-validator';
import { applyDecorators } from '@nestjs/common';
import { RecordsQueryRequest } from './feedback-reads.dto.js';
import {
  OptionalFlag,
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
