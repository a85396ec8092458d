import protobuf from 'protobufjs/light.js';
import { HeddleError } from '@app/errors';
import { traceRequest, traceResponse } from './otlp.schema.js';

/** The bytes are not an OTLP message, or exceed a limit. */
export class ProtobufError extends HeddleError {
  readonly code = 'invalid_protobuf';
}

/** Bounds the memory of a request: an empty span takes two bytes on the wire and hundreds once it is decoded. */
const MAX_FIELDS = 1_000_000;
const MAX_DEPTH = 200;

// protobufjs has one limit for the whole process, and counts the outermost message as depth 0.
protobuf.Reader.recursionLimit = MAX_DEPTH - 1;

/** Decodes an ExportTraceServiceRequest; throws a ProtobufError when the bytes are not one. */
export function decodeTraceRequest(body: Buffer): object {
  try {
    return traceRequest.decode(new TraceReader(body));
  } catch (error) {
    if (error instanceof ProtobufError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new ProtobufError(`it is malformed, cut off or nested too deeply (${reason})`);
  }
}

export function encodeTraceResponse(response: object): Buffer {
  return Buffer.from(traceResponse.encode(response).finish());
}

class TraceReader extends protobuf.BufferReader {
  private fields = 0;

  override tag(): number {
    if (++this.fields > MAX_FIELDS) throw new ProtobufError('it has too many fields');
    return super.tag();
  }

  /** Replaces bytes that are not UTF-8, so that one invalid text does not fail the whole request. */
  override stringVerify(): string {
    return this.string();
  }

  /**
   * protobufjs skips a field of the wrong wire type like an unknown field. The request itself has only the field
   * `resourceSpans`: skipping it would acknowledge bytes that are not a request.
   */
  override skipType(wireType: number, depth?: number, fieldNumber?: number): protobuf.Reader {
    if (depth === 0 && fieldNumber === traceRequest.fields['resourceSpans']!.id) {
      throw new ProtobufError('resourceSpans is not a list of messages');
    }
    return super.skipType(wireType, depth, fieldNumber);
  }
}
