import { join, raw, sql, type Sql } from '@app/clickhouse';
import { CallFields } from '../calls/call-fields.js';

/** Where clients record how long a model took until its first token. OpenTelemetry has seconds, the AI SDK milliseconds. */
const IN_SECONDS = ['gen_ai.response.time_to_first_chunk', 'gen_ai.server.time_to_first_token'];
const IN_MILLIS = ['ai.response.msToFirstChunk', 'time_to_first_token_ms'];

/** Milliseconds until the first token of a call; NULL where no client has recorded it. */
export function firstTokenMs(projectId: string): Sql {
  const fields = new CallFields(projectId);
  const millis = (object: string): Sql[] => [
    ...IN_SECONDS.map((path) => sql`${number(fields, `${object}.${path}`)} * 1000`),
    ...IN_MILLIS.map((path) => number(fields, `${object}.${path}`)),
  ];
  const ofCall = [...millis('attributes'), number(fields, 'summary.time_to_first_token_ms')];
  // The dump of a span is parsed only where there is one.
  const ofSpan = sql`if(otel_dump = '', NULL, coalesce(${join(millis('otel_dump.attributes'), ', ')}))`;
  return sql`coalesce(${join([...ofCall, ofSpan], ', ')})`;
}

function number(fields: CallFields, path: string): Sql {
  const value = fields.field(path, ['call_metrics']);
  return value.kind === 'json' ? value.number() : raw('NULL');
}
