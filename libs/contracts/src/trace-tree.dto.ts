import { ApiProperty } from '@nestjs/swagger';
import { Id, ProjectId } from './fields.js';

export class TraceTreeRequest {
  @ProjectId() project_id!: string;
  @Id('The trace to read.') trace_id!: string;
}

const integers = (description: string) =>
  ({ type: 'array', items: { type: 'integer' }, description }) as const;

/** The columns of some calls, in depth-first order. The first line of the response has the dictionaries instead. */
export class TraceTreeBlock {
  @ApiProperty({ type: [String] }) id!: string[];
  @ApiProperty(
    integers('Position of the parent in the whole trace; -1 when the trace has no such call.'),
  )
  parent!: number[];
  @ApiProperty(integers('Index into `ops` of the first line.')) op!: number[];
  @ApiProperty(integers('Index into `names` of the first line; -1 without a display name.'))
  name!: number[];
  @ApiProperty(integers('Index into `statuses` of the first line.')) status!: number[];
  @ApiProperty(integers('Microseconds after `started_at` of the first line.')) start!: number[];
  @ApiProperty(integers('Microseconds; -1 while the call is running.')) duration!: number[];
  @ApiProperty(integers('Total tokens, descendants included.')) tokens!: number[];
  @ApiProperty(integers('Number of feedback records.')) feedback!: number[];
  @ApiProperty({
    type: 'array',
    items: { type: 'number', nullable: true },
    description: 'Cost, descendants included; null without a price.',
  })
  cost!: (number | null)[];
}
