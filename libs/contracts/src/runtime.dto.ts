import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsObject,
  Matches,
  MaxLength,
  ValidateNested,
} from 'class-validator';
import { OptionalInteger, OptionalText, OptionalTextMap, Text } from './fields.js';

const URL_MAX = 2048;
const MODELS_MAX = 100;

/** A model that a runtime offers. */
export class RuntimeModel {
  @Text('The model in requests to the endpoint, without spaces.')
  @Matches(/^\s*\S+\s*$/, { message: 'must be text without spaces' })
  id!: string;
  @OptionalInteger(1, Number.MAX_SAFE_INTEGER, 'Most tokens of a request; 4096 when absent.')
  max_tokens?: number | null;
}

const Models = (): PropertyDecorator =>
  applyDecorators(
    ApiProperty({
      ...{ type: () => RuntimeModel, isArray: true, maxItems: MODELS_MAX },
      description: 'All models of the endpoint. Others that were stored before are deleted.',
    }),
    IsArray(),
    ArrayMaxSize(MODELS_MAX),
    IsObject({ each: true }),
    ValidateNested({ each: true }),
    Type(() => RuntimeModel),
  );

/** An endpoint that speaks the interface of OpenAI. It is stored and never called. */
export class RuntimeApplyRequest {
  @Text('The address of the endpoint.') @MaxLength(URL_MAX) base_url!: string;
  @Models() runtime_ids!: RuntimeModel[];
  @OptionalText('The name of the secret with its API key, never the key itself.')
  api_key_secret?: string | null;
  @OptionalTextMap('Headers for the endpoint, stored as they are.') headers?: Record<
    string,
    string
  > | null;
}

export class StoredRuntimeModel {
  @ApiProperty() id!: string;
  @ApiProperty({ type: 'integer' }) max_tokens!: number;
  @ApiProperty() playground_id!: string;
}

export class RuntimeApplyResponse {
  @ApiProperty() name!: string;
  @ApiProperty() base_url!: string;
  @ApiProperty({ type: 'string', nullable: true }) api_key_secret!: string | null;
  @ApiPropertyOptional({ type: 'object', additionalProperties: { type: 'string' } })
  headers!: Record<string, string>;
  @ApiProperty({ type: [StoredRuntimeModel] }) runtime_ids!: StoredRuntimeModel[];
}
