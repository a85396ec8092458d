import { ApiProperty } from '@nestjs/swagger';
import { OptionalCount, OptionalTimestamp, OptionalText } from './fields.js';

export class AuditQueryRequest {
  @OptionalText('A project, an entity or *; what the key administers when not given.')
  scope?: string | null;
  @OptionalText('Only of this user.') user?: string | null;
  @OptionalText('Only actions that begin so, such as `keys.`.') action?: string | null;
  @OptionalTimestamp('At or after.') from?: string | null;
  @OptionalTimestamp('Before.') before?: string | null;
  @OptionalCount('At most so many, the newest first; 100 when not given, 10,000 at most.')
  limit?: number | null;
}

export class AuditRecord {
  @ApiProperty() id!: string;
  @ApiProperty() at!: string;
  @ApiProperty() user!: string;
  @ApiProperty() action!: string;
  @ApiProperty({ description: 'A project, the scope of a key, or empty for the whole server.' })
  scope!: string;
  @ApiProperty({ type: 'object', additionalProperties: true }) detail!: object;
}

export class AuditQueryResponse {
  @ApiProperty({ type: [AuditRecord] }) entries!: AuditRecord[];
}
