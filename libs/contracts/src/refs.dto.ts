import { ApiProperty } from '@nestjs/swagger';
import { Strings } from './object-fields.js';

export class RefsReadRequest {
  @Strings('At most 1000 refs to objects or ops, each with an optional path.') refs!: string[];
}

export class RefsReadResponse {
  @ApiProperty({ type: 'array', items: {}, description: 'In the order of the refs.' })
  vals!: unknown[];
}
