import { encodeTraceResponse } from './otlp-protobuf.js';

const MESSAGES_MAX = 20;

/** An ExportTraceServiceResponse: empty when everything was taken, else how many spans were not, and why. */
export function otlpResponse(problems: readonly string[], isJson: boolean): string | Buffer {
  const rejectedSpans = problems.length;
  const errorMessage = problems.slice(0, MESSAGES_MAX).join('; ');
  const response = rejectedSpans === 0 ? {} : { partialSuccess: { rejectedSpans, errorMessage } };
  return isJson ? JSON.stringify(response) : encodeTraceResponse(response);
}
