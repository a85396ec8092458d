import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsNumber, IsOptional, Max, Min } from 'class-validator';
import { applyDecorators } from '@nestjs/common';
import { OptionalTimestamp, OptionalText, PayloadObject, ProjectId } from './fields.js';
import type { JsonText } from '@app/wire';

/** Per single token. More than a million of any currency is a mistake. */
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

/** What a token of one model costs. */
export class CostCreateRecord {
  @TokenCost('Of input.') prompt_token_cost!: number;
  @TokenCost('Of output.') completion_token_cost!: number;
  @OptionalTokenCost('Of input read from a cache; 0 when absent.') cache_read_input_token_cost?:
    number | null;
  @OptionalTokenCost('Of input written to a cache; 0 when absent.')
  cache_creation_input_token_cost?: number | null;
  @OptionalText('A currency code; USD when absent.') prompt_token_cost_unit?: string | null;
  @OptionalText('A currency code; USD when absent.') completion_token_cost_unit?: string | null;
  @OptionalTimestamp('From when it holds; now when absent.') effective_date?: string | null;
  @OptionalText('`default` when absent.') provider_id?: string | null;
}

export class CostCreateEnvelope {
  @ProjectId() project_id!: string;
  @PayloadObject('Prices by model, as models are called in `summary.usage`.') costs!: JsonText;
}

export class CostCreateRequest {
  @ApiProperty({ example: 'acme/demo' }) project_id!: string;
  @ApiProperty({
    type: 'object',
    additionalProperties: { $ref: '#/components/schemas/CostCreateRecord' },
    description: 'Prices by model, as models are called in `summary.usage`.',
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

/** A price of the project. Fields that were not asked for are absent. */
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
}

export class CostQueryResponse {
  @ApiProperty({ type: [CostSchema] }) results!: CostSchema[];
}
