import { protobufField } from './protobuf.js';

const MESSAGES_MAX = 20;

/** An ExportTraceServiceResponse: empty when everything was taken, else how many spans were not, and why. */
export function otlpAnswer(problems: readonly string[], isJson: boolean): string | Buffer {
  const rejectedSpans = problems.length;
  if (rejectedSpans === 0) return isJson ? '{}' : Buffer.alloc(0);
  const errorMessage = problems.slice(0, MESSAGES_MAX).join('; ');
  if (isJson) return JSON.stringify({ partialSuccess: { rejectedSpans, errorMessage } });
  return protobufField(
    1,
    Buffer.concat([protobufField(1, rejectedSpans), protobufField(2, errorMessage)]),
  );
}
