import { ApiProperty } from '@nestjs/swagger';
import { OptionalCount, OptionalTimestamp, OptionalText } from './fields.js';

export class AuditQueryRequest {
  @OptionalText('A project, an entity or `*`. When absent: the scope of the key.')
  scope?: string | null;
  @OptionalText('Only actions of this user.') user?: string | null;
  @OptionalText('Only actions that start with this prefix, such as `keys.`.') action?:
    string | null;
  @OptionalTimestamp('Only actions at or after this time.') from?: string | null;
  @OptionalTimestamp('Only actions before this time.') before?: string | null;
  @OptionalCount('Maximum number of entries, newest first; 100 when absent, at most 10,000.')
  limit?: number | null;
}

export class AuditRecord {
  @ApiProperty() id!: string;
  @ApiProperty() at!: string;
  @ApiProperty() user!: string;
  @ApiProperty({ description: 'The id of the key; empty for a command or a worker.' })
  key_id!: string;
  @ApiProperty({ description: 'The address of the client; empty for a command or a worker.' })
  address!: string;
  @ApiProperty({ description: 'As in the header x-request-id of the response.' })
  request_id!: string;
  @ApiProperty() action!: string;
  @ApiProperty({ description: 'A project, the scope of a key, or empty for the whole server.' })
  scope!: string;
  @ApiProperty({ type: 'object', additionalProperties: true }) detail!: object;
}

export class AuditQueryResponse {
  @ApiProperty({ type: [AuditRecord] }) entries!: AuditRecord[];
}
