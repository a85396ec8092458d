import type { SpanRecorded } from '@app/events';
import { readInThread } from '@app/http';
import { redactionOf, type ReadContext } from '../calls/read-calls.js';
import { agentSpanBody, timeOf } from './agent-span.js';
import { eachSpan, type SpanProblems } from './otel-facts.js';
import { groupsIn } from './read-spans.js';

export interface AgentFacts extends SpanProblems {
  readonly facts: readonly SpanRecorded[];
}

/** The redacted facts of a request with spans of agents, or a ProblemError. */
export function readAgentSpans(
  body: Buffer,
  isJson: boolean,
  project: string | undefined,
  { redactKeys, userId, addsOnly, now }: ReadContext,
): AgentFacts {
  const redaction = redactionOf(redactKeys);
  return eachSpan(groupsIn(body, isJson), project, (span, group, projectId): SpanRecorded => {
    const json = Buffer.from(JSON.stringify(agentSpanBody(span, group)));
    const { traceId, spanId, startNanos, endNanos } = span;
    return {
      type: 'SpanRecorded',
      projectId,
      userId,
      receivedAt: now,
      data: {
        traceId,
        spanId,
        startedAt: timeOf(startNanos),
        endedAt: timeOf(endNanos || startNanos),
        ...(addsOnly && { addsOnly }),
      },
      body: redaction.redactJson(json),
    };
  });
}

/** A large body is read in a thread. */
export const readAgentSpansOf = readInThread(import.meta.url, 'readAgentSpans', readAgentSpans);
