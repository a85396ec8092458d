import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  IsArray,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  Matches,
  ValidateBy,
} from 'class-validator';
import { JsonText } from '@app/wire';

/** Letters, digits, `_`, `.` and `-` of any script. */
export const OBJECT_NAME = /^[\p{L}\p{M}\p{N}_.-]{1,128}$/u;
const TAG = /^[-\p{L}\p{M}\p{N}_]+( [-\p{L}\p{M}\p{N}_]+)*$/u;
const TAG_MAX = 256;
const ALIAS = /^(?!latest$|v\d+$|\s*$)[^/:]{1,128}$/;

export const ObjectName = (): PropertyDecorator =>
  applyDecorators(
    ApiProperty({ type: 'string', minLength: 1, maxLength: 128, pattern: OBJECT_NAME.source }),
    Matches(OBJECT_NAME, { message: 'must be 1 to 128 letters, digits, "_", "." or "-"' }),
  );

/** Any JSON value, stored as the exact text that was sent. */
export const AnyValue = (about: string): PropertyDecorator =>
  applyDecorators(
    ApiProperty({ description: about, type: 'object', additionalProperties: true }),
    ValidateBy({
      name: 'isValue',
      validator: {
        validate: (value) => value instanceof JsonText,
        defaultMessage: () => 'Field required',
      },
    }),
  );

/** An integer. The operation itself refuses a negative one, with 400. */
export const OptionalLimit = (about: string): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({ type: 'integer', minimum: 0, nullable: true, description: about }),
    IsOptional(),
    IsInt(),
  );

const namesField = (
  about: string,
  name: string,
  isValid: (value: string) => boolean,
  message: string,
) =>
  applyDecorators(
    ApiProperty({ type: 'array', items: { type: 'string' }, description: about }),
    IsArray(),
    ArrayMaxSize(1000),
    ValidateBy(
      {
        name,
        validator: {
          validate: (value) => typeof value === 'string' && isValid(value),
          defaultMessage: () => message,
        },
      },
      { each: true },
    ),
  );

export const Tags = (about: string): PropertyDecorator =>
  namesField(
    about,
    'isTag',
    (tag) => tag.length <= TAG_MAX && TAG.test(tag),
    'each tag must be words of letters, digits, "-" and "_" separated by single spaces, at most 256 characters',
  );

export const Aliases = (about: string): PropertyDecorator =>
  namesField(
    about,
    'isAlias',
    (alias) => ALIAS.test(alias),
    'each alias must be 1 to 128 characters without "/" and ":", and must not be "latest" or "v" followed by a number',
  );

export const Strings = (about: string): PropertyDecorator =>
  applyDecorators(
    ApiProperty({ type: 'array', items: { type: 'string' }, description: about }),
    IsArray(),
    IsString({ each: true }),
  );

export const OneOf = (about: string, values: readonly string[]): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({ enum: [...values], nullable: true, description: about }),
    IsOptional(),
    IsIn([...values], { message: `must be one of ${values.join(', ')}` }),
  );
