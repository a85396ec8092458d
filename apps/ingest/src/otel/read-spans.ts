import { parseJsonBody, ProblemError, readInThread } from '@app/http';
import { contextOf, redactionOf, type ReadContext } from '../calls/read-calls.js';
import { spanFacts, type SpanFacts } from './otel-facts.js';
import { ProtobufError } from './otlp-protobuf.js';
import { spansOfJson, spansOfProtobuf } from './otlp-spans.js';
import { SpanError, type SpanGroup } from './span.js';

/** The redacted facts of a trace request, or a ProblemError. */
export function readSpans(
  body: Buffer,
  isJson: boolean,
  project: string | undefined,
  { redactKeys, ...context }: ReadContext,
): SpanFacts {
  const made = spanFacts(groupsIn(body, isJson), project, contextOf(context));
  const redaction = redactionOf(redactKeys);
  return { ...made, facts: made.facts.map((fact) => redaction.redact(fact)) };
}

/** A large body is read in a thread. */
export const readSpansOf = readInThread(import.meta.url, 'readSpans', readSpans);

export function groupsIn(body: Buffer, isJson: boolean): SpanGroup[] {
  try {
    return isJson ? spansOfJson(parseJsonBody(body)) : spansOfProtobuf(body);
  } catch (error) {
    if (!(error instanceof ProtobufError) && !(error instanceof SpanError)) throw error;
    throw new ProblemError(
      'invalid_request',
      `The body is not an OTLP trace request: ${error.message}.`,
    );
  }
}
