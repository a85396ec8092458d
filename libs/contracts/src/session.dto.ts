import { ApiProperty } from '@nestjs/swagger';
import { IsNotEmpty, IsString, MaxLength } from 'class-validator';
import { KEY_ROLES } from './key.dto.js';

const KEY_MAX = 1024;

export class SessionCreateRequest {
  @ApiProperty({ type: 'string', minLength: 1, maxLength: KEY_MAX, description: 'An API key.' })
  @IsString()
  @IsNotEmpty()
  @MaxLength(KEY_MAX)
  key!: string;
}

export class LoginMethodsResponse {
  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'The name of the OpenID Connect issuer; null when API keys are the only logins.',
  })
  openid!: string | null;
}

export class SessionResponse {
  @ApiProperty() user!: string;
  @ApiProperty({ enum: [...KEY_ROLES] }) role!: string;
  @ApiProperty({ description: '`*`, an entity, or <entity>/<project>.' }) scope!: string;
  @ApiProperty({
    description: 'The id of the API key; for a login by an issuer an id of the user.',
  })
  key_id!: string;
  @ApiProperty({
    type: 'string',
    format: 'date-time',
    nullable: true,
    description:
      'When the session ends at the latest; null for a request with an API key instead of a session.',
  })
  expires_at!: string | null;
}
