import type { Micros } from '@app/wire';
import type { RecordFact } from './record-fact.js';

interface RecordedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly startedAt: Micros;
  readonly endedAt: Micros;
  /** Whether the key may only add: then the span replaces none with the same id. */
  readonly addsOnly?: boolean;
}

/** An agent's instrumentation has sent a span. The body is an AgentSpanBody as JSON. */
export type SpanRecorded = RecordFact<'SpanRecorded', RecordedSpan>;

/** What a span says, as far as queries need it. Absent members are unset. */
export interface AgentSpanBody {
  /** Texts that queries filter and group by, by the name of their column. */
  readonly columns: Readonly<Record<string, string>>;
  /** The other fields of the span in responses. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Tokens in the dialect of the instrumentation, as in `summary.usage`. */
  readonly usage?: Readonly<Record<string, unknown>>;
  readonly reasoning?: number;
  readonly custom: {
    readonly string: Readonly<Record<string, string>>;
    readonly int: Readonly<Record<string, number>>;
    readonly float: Readonly<Record<string, number>>;
    readonly bool: Readonly<Record<string, boolean>>;
  };
  readonly messages: {
    readonly input: readonly AgentMessage[];
    readonly output: readonly AgentMessage[];
  };
  /** The span as it was sent. */
  readonly dump: unknown;
}

/** A message in one form for all providers: `content` is text, or the JSON of parts that are more than text. */
export interface AgentMessage {
  readonly role: string;
  readonly content: string;
  readonly finish_reason: string;
}
