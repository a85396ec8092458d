import { ApiProperty } from '@nestjs/swagger';

/** OpenTelemetry's ExportTraceServiceRequest. */
export class OtlpTraceRequest {
  @ApiProperty({ type: [Object], description: 'Spans by resource and scope.' })
  resourceSpans!: object[];
}

export class OtlpPartialSuccess {
  @ApiProperty({ description: 'Number of spans that cannot become calls.' }) rejectedSpans!: number;
  @ApiProperty({ description: 'The first twenty reasons.' }) errorMessage!: string;
}

export class OtlpTraceResponse {
  @ApiProperty({
    required: false,
    type: OtlpPartialSuccess,
    description: 'Absent when all spans were accepted.',
  })
  partialSuccess?: OtlpPartialSuccess;
}
