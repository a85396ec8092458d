import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { applyDecorators } from '@nestjs/common';
import { isIP } from 'node:net';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsOptional,
  IsString,
  Matches,
  MaxLength,
  ValidateBy,
} from 'class-validator';
import { Choice, OptionalFlag, OptionalInteger } from './fields.js';

/** `*`, an entity, or `<entity>/<project>`. */
export const KEY_SCOPE = /^(\*|[^/\u0000-\u001f\u007f]{1,128}(\/[^/\u0000-\u001f\u007f]{1,128})?)$/;
export const KEY_USER = /^[^\u0000-\u001f\u007f]{1,128}$/;
export const KEY_ROLES = ['ingest', 'read', 'write', 'admin'] as const;

const DAY_SECONDS = 86_400;
const ADDRESSES_MAX = 32;

/** An address, or a network such as 10.0.0.0/8 or 2001:db8::/32. */
export function isAddressRange(value: unknown): boolean {
  const [, address = '', prefix] =
    /^([\d.a-f:]+)(?:\/(\d{1,3}))?$/i.exec(typeof value === 'string' ? value : '') ?? [];
  const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  return bits !== -1 && (prefix === undefined || Number(prefix) <= bits);
}

const AddressRanges = (): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({
      type: [String],
      nullable: true,
      maxItems: ADDRESSES_MAX,
      example: ['10.0.0.0/8', '2001:db8::/32'],
      description:
        'The key is accepted from these addresses and networks only; from all when absent.',
    }),
    IsOptional(),
    IsArray(),
    ArrayMinSize(1),
    ArrayMaxSize(ADDRESSES_MAX),
    ValidateBy(
      {
        name: 'isAddressRange',
        validator: {
          validate: isAddressRange,
          defaultMessage: () => 'each must be an address or a network such as 10.0.0.0/8',
        },
      },
      { each: true },
    ),
  );

const KeyId = (): PropertyDecorator =>
  applyDecorators(
    ApiProperty({
      type: 'string',
      pattern: '^[0-9a-f]{12}$',
      description: 'Id of a key, as `list` returns it.',
    }),
    Matches(/^[0-9a-f]{12}$/, { message: 'must be the id of a key: twelve hexadecimal digits' }),
  );

export class KeyCreateRequest {
  @ApiProperty({ type: 'string', pattern: KEY_USER.source, example: 'ann' })
  @Matches(KEY_USER, { message: 'must be a name of 1 to 128 characters' })
  user!: string;

  @ApiProperty({ type: 'string', pattern: KEY_SCOPE.source, example: 'acme/demo' })
  @Matches(KEY_SCOPE, { message: 'must be *, an entity, or <entity>/<project>' })
  scope!: string;

  @Choice(
    KEY_ROLES,
    '`ingest` may only add data, `read` may only read, `write` may do both and delete, `admin` may also manage keys.',
  )
  role!: (typeof KEY_ROLES)[number];

  @ApiPropertyOptional({ type: 'string', maxLength: 128, nullable: true })
  @IsOptional()
  @IsString()
  @MaxLength(128)
  name?: string | null;

  @OptionalInteger(
    1,
    3650 * DAY_SECONDS,
    'The key expires after this time; never later than the key that creates it.',
  )
  ends_in_seconds?: number | null;

  @AddressRanges() addresses?: string[] | null;
}

export class KeysListRequest {
  @OptionalFlag('Include keys that have expired or were revoked.') include_ended?: boolean | null;
}

export class KeyRevokeRequest {
  @KeyId() id!: string;
}

export class KeyRotateRequest {
  @KeyId() id!: string;

  @OptionalInteger(0, 30 * DAY_SECONDS, 'How long the old key stays valid; 0 when absent.')
  grace_seconds?: number | null;
}

export class KeyRecord {
  @ApiProperty() id!: string;
  @ApiProperty() user!: string;
  @ApiProperty() scope!: string;
  @ApiProperty({ enum: [...KEY_ROLES] }) role!: string;
  @ApiProperty({ type: String, nullable: true }) name!: string | null;
  @ApiProperty({ type: String, nullable: true }) created_at!: string | null;
  @ApiProperty({ type: String, nullable: true }) created_by!: string | null;
  @ApiProperty({ type: String, nullable: true }) last_used_at!: string | null;
  @ApiProperty({ type: [String], nullable: true, description: 'Null when all are accepted.' })
  addresses!: string[] | null;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The key is refused from this time on.',
  })
  ends_at!: string | null;
}

export class KeysListResponse {
  @ApiProperty({ type: [KeyRecord] }) keys!: KeyRecord[];
}

export class NewKeyResponse extends KeyRecord {
  @ApiProperty({ description: 'Shown once; the server stores only its hash.' }) key!: string;
}
