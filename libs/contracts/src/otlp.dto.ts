import { ApiProperty } from '@nestjs/swagger';

/** An ExportTraceServiceRequest of OpenTelemetry. Its shape is theirs; what a span becomes is ours. */
export class OtlpTraceRequest {
  @ApiProperty({ type: [Object], description: 'Spans by resource and scope.' })
  resourceSpans!: object[];
}

export class OtlpPartialSuccess {
  @ApiProperty({ description: 'Spans that cannot become calls.' }) rejectedSpans!: number;
  @ApiProperty({ description: 'Why; the first twenty.' }) errorMessage!: string;
}

export class OtlpTraceResponse {
  @ApiProperty({
    required: false,
    type: OtlpPartialSuccess,
    description: 'Absent when all is kept.',
  })
  partialSuccess?: OtlpPartialSuccess;
}
