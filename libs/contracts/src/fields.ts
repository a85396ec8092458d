import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional, type ApiPropertyOptions } from '@nestjs/swagger';
import { Exclude, Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsNotEmpty,
  IsObject,
  IsOptional,
  IsString,
  Matches,
  Max,
  MaxLength,
  Min,
  ValidateBy,
  ValidateNested,
} from 'class-validator';
import { JsonText, parseTimestamp } from '@app/wire';

/*
 * Decorators for DTO fields. Each combines the validation of a field with its documentation. An optional field may be
 * absent or null; both mean the same, as everywhere on the wire.
 */

type About = string;
type Class = new () => object;

const required = (api: ApiPropertyOptions, ...checks: PropertyDecorator[]) =>
  applyDecorators(ApiProperty(api), ...checks);

const optional = (api: ApiPropertyOptions, ...checks: PropertyDecorator[]) =>
  applyDecorators(ApiPropertyOptional({ ...api, nullable: true }), IsOptional(), ...checks);

/** `<entity>/<project>`: exactly one slash, no control characters. */
export const PROJECT_ID =
  /^(?!\.{1,2}\/)[^/\u0000-\u001f\u007f]{1,128}\/(?!\.{1,2}$)[^/\u0000-\u001f\u007f]{1,128}$/;

const LIST_MAX = 1000;
const ID_MAX = 128;

export const ProjectId = (): PropertyDecorator =>
  required(
    {
      type: 'string',
      pattern: PROJECT_ID.source,
      example: 'acme/demo',
      description: '<entity>/<project>',
    },
    Matches(PROJECT_ID, { message: 'must have the form <entity>/<project>' }),
  );

export const Id = (about: About): PropertyDecorator =>
  required(
    { type: 'string', minLength: 1, maxLength: ID_MAX, description: about },
    IsString(),
    IsNotEmpty(),
    MaxLength(ID_MAX),
  );

export const OptionalId = (about: About): PropertyDecorator =>
  optional(
    { type: 'string', maxLength: ID_MAX, description: about },
    IsString(),
    MaxLength(ID_MAX),
  );

export const Text = (about: About): PropertyDecorator =>
  required({ type: 'string', description: about }, IsString(), IsNotEmpty());

/** Text that may be empty: the operation decides what that means. */
export const AnyText = (about: About): PropertyDecorator =>
  required({ type: 'string', description: about }, IsString());

export const Ids = (about: About): PropertyDecorator =>
  required(
    { type: 'array', items: { type: 'string', maxLength: ID_MAX }, description: about },
    IsArray(),
    IsString({ each: true }),
    MaxLength(ID_MAX, { each: true }),
  );

export const OptionalText = (about: About): PropertyDecorator =>
  optional({ type: 'string', description: about }, IsString());

export const OptionalFlag = (about: About): PropertyDecorator =>
  optional({ type: 'boolean', description: about }, IsBoolean());

export const OptionalInteger = (min: number, max: number, about: About): PropertyDecorator =>
  optional(
    { type: 'integer', minimum: min, maximum: max, description: about },
    IsInt(),
    Min(min),
    Max(max),
  );

export const OptionalCount = (about: About): PropertyDecorator =>
  OptionalInteger(0, Number.MAX_SAFE_INTEGER, about);

export const Count = (about: About): PropertyDecorator =>
  required(
    { type: 'integer', minimum: 0, description: about },
    IsInt(),
    Min(0),
    Max(Number.MAX_SAFE_INTEGER),
  );

export const OptionalTexts = (about: About): PropertyDecorator =>
  optional(
    { type: 'array', items: { type: 'string' }, maxItems: LIST_MAX, description: about },
    IsArray(),
    ArrayMaxSize(LIST_MAX),
    IsString({ each: true }),
  );

export const Part = (type: () => Class, about: About): PropertyDecorator =>
  required({ type: () => type(), description: about }, IsObject(), ValidateNested(), Type(type));

export const OptionalPart = (type: () => Class, about: About): PropertyDecorator =>
  optional({ type: () => type(), description: about }, IsObject(), ValidateNested(), Type(type));

export const OptionalParts = (
  type: () => Class,
  about: About,
  maxItems = LIST_MAX,
): PropertyDecorator =>
  optional(
    { type: () => type(), isArray: true, maxItems, description: about },
    IsArray(),
    ArrayMaxSize(maxItems),
    ValidateNested({ each: true }),
    Type(type),
  );

export const Choice = (choices: readonly string[], about: About): PropertyDecorator =>
  required(
    { type: 'string', enum: [...choices], description: about },
    IsIn(choices, { message: `must be one of ${choices.join(', ')}` }),
  );

/** class-transformer would copy the value, without keys such as `constructor`. The handler gets what the client sent. */
const Verbatim = () => Exclude({ toClassOnly: true });

export const OptionalObject = (about: About): PropertyDecorator =>
  optional(
    { type: 'object', additionalProperties: true, description: about },
    IsObject(),
    Verbatim(),
  );

export const QueryObject = (about: About): PropertyDecorator =>
  required(
    { type: 'object', additionalProperties: true, description: about },
    IsObject(),
    Verbatim(),
  );

/** Whether `parseTimestamp` accepts the value. class-validator's own check accepts February 30. */
export const isTimestamp = (value: unknown): boolean =>
  typeof value === 'string' && parseTimestamp(value) !== undefined;

/** Whether a payload is an object. Payloads are not parsed; the first byte shows the type. */
export const isPayloadObject = (value: unknown): boolean =>
  value instanceof JsonText && value.isObject;

export const isPayloadObjectOrNull = (value: unknown): boolean =>
  value instanceof JsonText && (value.isObject || value.isNull);

/** Most levels of nesting in a payload of a call. */
export const PAYLOAD_DEPTH_MAX = 200;

export const isShallow = (value: unknown): boolean =>
  !(value instanceof JsonText) || value.depth <= PAYLOAD_DEPTH_MAX;

/** Name of the check and type of its error; requests that fail it get a status of their own. */
export const TOO_DEEP = 'isShallow';

const IsShallow = () =>
  ValidateBy({
    name: TOO_DEEP,
    validator: {
      validate: isShallow,
      defaultMessage: () => `must not be nested deeper than ${PAYLOAD_DEPTH_MAX} levels`,
    },
  });

const IsTimestamp = () =>
  ValidateBy({
    name: 'isTimestamp',
    validator: {
      validate: isTimestamp,
      defaultMessage: () => 'must be an ISO 8601 date-time such as 2026-03-01T10:00:00.123456Z',
    },
  });

export const Timestamp = (about: About): PropertyDecorator =>
  required({ type: 'string', format: 'date-time', description: about }, IsTimestamp());

export const OptionalTimestamp = (about: About): PropertyDecorator =>
  optional({ type: 'string', format: 'date-time', description: about }, IsTimestamp());

const IsPayloadObject = () =>
  ValidateBy({
    name: 'isPayloadObject',
    validator: {
      validate: isPayloadObject,
      defaultMessage: () => 'must be a JSON object',
    },
  });

const objectSchema = (about: About): ApiPropertyOptions => ({
  type: 'object',
  additionalProperties: true,
  description: about,
});

export const PayloadObject = (about: About): PropertyDecorator =>
  required(objectSchema(about), IsPayloadObject(), IsShallow());

const IsPayloadObjectOrNull = () =>
  ValidateBy({
    name: 'isPayloadObjectOrNull',
    validator: {
      validate: isPayloadObjectOrNull,
      defaultMessage: () => 'must be a JSON object or null',
    },
  });

export const OptionalPayloadObject = (about: About): PropertyDecorator =>
  optional(objectSchema(about), IsPayloadObjectOrNull(), IsShallow());

/** OpenAPI has no type for "any JSON value", so the description states it. */
export const AnyPayload = (about: About): PropertyDecorator =>
  optional(objectSchema(`${about} Any JSON value.`), IsShallow());

/** Most keys of a map from names to texts or numbers. */
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
  const message = `must be an object of at most ${KEYS_MAX} ${item}s`;
  return applyDecorators(
    ApiPropertyOptional({
      type: 'object',
      additionalProperties: { type: item },
      nullable: true,
      description: about,
    }),
    IsOptional(),
    ValidateBy({ name: 'isMap', validator: { validate, defaultMessage: () => message } }),
  );
}

export const OptionalTextMap = (about: string): PropertyDecorator =>
  mapOf(about, 'string', (value) => typeof value === 'string');

export const OptionalNumberMap = (about: string): PropertyDecorator =>
  mapOf(about, 'number', (value) => typeof value === 'number' && Number.isFinite(value));
