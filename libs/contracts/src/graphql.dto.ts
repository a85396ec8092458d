import { ApiProperty } from '@nestjs/swagger';
import { OptionalObject, Text } from './fields.js';

/** A GraphQL query that clients send at startup. */
export class GraphqlRequest {
  @Text('The GraphQL query; its operation name selects the response.') query!: string;
  @OptionalObject('Variables of the query.') variables?: Record<string, unknown> | null;
}

export class GraphqlResponse {
  @ApiProperty({ type: 'object', additionalProperties: true }) data!: Record<string, unknown>;
}
