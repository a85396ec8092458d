import { ApiProperty } from '@nestjs/swagger';
import { OptionalObject, Text } from './fields.js';

/** What a client asks at start-up. */
export class GraphqlRequest {
  @Text('A query whose operation name says what is asked.') query!: string;
  @OptionalObject('Its variables.') variables?: Record<string, unknown> | null;
}

export class GraphqlResponse {
  @ApiProperty({ type: 'object', additionalProperties: true }) data!: Record<string, unknown>;
}
