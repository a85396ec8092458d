import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, ValidateBy } from 'class-validator';

const KEYS_MAX = 1000;

function mapOf(
  about: string,
  item: 'string' | 'number',
  isItem: (value: unknown) => boolean,
): PropertyDecorator {
  const validate = (value: unknown) =>
    value !== null &&
    typeof value === 'object' &&
    !Array.isArray(value) &&
    Object.keys(value).length <= KEYS_MAX &&
    Object.values(value).every(isItem);
  const says = `must be an object of at most ${KEYS_MAX} ${item}s`;
  return applyDecorators(
    ApiPropertyOptional({
      type: 'object',
      additionalProperties: { type: item },
      nullable: true,
      description: about,
    }),
    IsOptional(),
    ValidateBy({ name: 'isMap', validator: { validate, defaultMessage: () => says } }),
  );
}

export const OptionalTextMap = (about: string): PropertyDecorator =>
  mapOf(about, 'string', (value) => typeof value === 'string');

export const OptionalNumberMap = (about: string): PropertyDecorator =>
  mapOf(about, 'number', (value) => typeof value === 'number' && Number.isFinite(value));
