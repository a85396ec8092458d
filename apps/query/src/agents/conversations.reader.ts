import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { bind, raw, sql, type Sql } from '@app/clickhouse';
import type {
  AgentConversationChatRequest,
  AgentConversationSpansRequest,
  AgentSearchRequest,
  AgentTraceChatRequest,
} from '@app/contracts';
import { decimalOf, PriceList } from '@app/pricing';
import { RetentionReader } from '../projects/retention.reader.js';
import { QueryExecutor } from '../query-executor.js';
import type { ReadContext } from '../read-context.js';
import { sumOf, traceChat, type ChatMessage } from './agent-chat.js';
import { AgentFeedbackReader, type AgentTarget, type FeedbackOf } from './agent-feedback.reader.js';
import { DURATION_MS } from './span-fields.js';
import { spanCost, timeText } from './span-record.js';
import { spanColumns, spansFrom, type SpanRow } from './spans.sql.js';
import { SPANS_LIMIT, SpansReader } from './spans.reader.js';

/** The most spans of a turn that are shown, and of all conversations of a request. */
const TURN_SPANS_MAX = 2000;
const SPANS_MAX = 10_000;
const TURNS = 20;
/** The newest matching spans that a search reads. */
const SEARCHED_MAX = 2000;
const PREVIEW_CHARACTERS = 200;
const MATCHES_MAX = 20;

interface Turn {
  readonly trace_id: string;
}

/** Reads conversations with agents: their turns, messages and spans. */
@Injectable()
export class ConversationsReader {
  constructor(
    private readonly executor: QueryExecutor,
    private readonly retention: RetentionReader,
    private readonly spans: SpansReader,
    private readonly feedback: AgentFeedbackReader,
  ) {}

  /** The response as JSON text, so that decimals keep all digits. */
  async traceChat(request: AgentTraceChatRequest, context: ReadContext) {
    const { project_id, trace_id } = request;
    const rows = await this.spansOf(project_id, [trace_id], context);
    const prices = await this.spans.pricesOf({ project_id }, rows, context);
    const feedbackOf = await this.feedbackOf(request, rows, [], context);
    return traceChat(trace_id, rows, prices, feedbackOf);
  }

  /** The feedback on these spans and their turns, and on what else is named. Undefined when it is not wanted. */
  private async feedbackOf(
    { project_id, include_feedback }: AgentTraceChatRequest | AgentConversationChatRequest,
    rows: readonly SpanRow[],
    others: readonly AgentTarget[],
    context: ReadContext,
  ): Promise<FeedbackOf | undefined> {
    if (!include_feedback) return undefined;
    const turns = new Set(rows.map((row) => String(row['trace_id'])));
    const targets = [
      ...others,
      ...[...turns].map((id) => ({ kind: 'agent_turn', id }) as const),
      ...rows.map((row) => ({ kind: 'agent_span', id: String(row['span_id']) }) as const),
    ];
    return this.feedback.of(project_id, targets, context);
  }

  async chat(request: AgentConversationChatRequest, context: ReadContext): Promise<string> {
    const { project_id, conversation_id } = request;
    const limit = request.limit ?? TURNS;
    const offset = request.offset ?? 0;
    const from = await this.from(
      project_id,
      sql`conversation_id = ${bind('String', conversation_id)}`,
    );
    // The newest first, since pages begin with them.
    const turns = await this.executor.rows<Turn>(
      sql`SELECT trace_id ${from} GROUP BY trace_id ORDER BY min(agent_spans.started_at) DESC, trace_id LIMIT ${bind('UInt64', limit + 1)} OFFSET ${bind('UInt64', offset)}`,
      context,
    );
    const [count] = await this.executor.rows<{ count: number | string }>(
      sql`SELECT uniqExact(trace_id) AS count ${from}`,
      context,
    );
    const ids = turns
      .slice(0, limit)
      .map(({ trace_id }) => trace_id)
      .reverse();
    const rows = ids.length === 0 ? [] : await this.spansOf(project_id, ids, context);
    const prices = await this.spans.pricesOf({ project_id }, rows, context);
    const conversation = { kind: 'agent_conversation', id: conversation_id } as const;
    const feedbackOf = await this.feedbackOf(request, rows, [conversation], context);
    const chats = ids.map((id) =>
      traceChat(
        id,
        rows.filter(({ trace_id }) => trace_id === id),
        prices,
        feedbackOf,
      ),
    );
    const head = {
      conversation_id,
      total_turns: Number(count?.count ?? 0),
      limit,
      offset,
      has_more: turns.length > limit,
    };
    const feedback = feedbackOf?.('agent_conversation', conversation_id) ?? 'null';
    return `${JSON.stringify(head).slice(0, -1)},"feedback":${feedback},"total_cost_usd":${costText(rows, prices)},"turns":[${chats.join(',')}]}`;
  }

  /** Spans without their messages, by conversation. */
  async sequences(request: AgentConversationSpansRequest, context: ReadContext) {
    const ids = request.conversation_ids ?? [];
    const rows =
      ids.length === 0
        ? []
        : await this.executor.rows<SpanRow & { duration: number | string }>(
            sql`SELECT conversation_id, trace_id, span_id, operation_name, status_code, ${DURATION_MS} AS duration
${spansFrom(request, await this.retention.cutoff(request.project_id), [sql`conversation_id IN ${bind('Array(String)', ids)}`])}
ORDER BY started_at, span_id LIMIT ${bind('UInt64', SPANS_MAX)}`,
            context,
          );
    const targets = markedBy(rows);
    const markers = await this.feedback.markers(
      request.project_id,
      [...targets.keys(), ...ids.map((id) => ({ kind: 'agent_conversation', id }) as const)],
      context,
    );
    return {
      conversations: [...new Set(ids)].map((conversation_id) => ({
        conversation_id,
        spans: rows.filter((row) => row['conversation_id'] === conversation_id).map(sequenceSpan),
        spans_feedback: markers
          .filter(({ target }) => (targets.get(target) ?? target.id) === conversation_id)
          .map(({ marker }) => marker),
      })),
    };
  }

  /** Conversations with a message that contains the text, the newest first. */
  async search(request: AgentSearchRequest, context: ReadContext) {
    const { project_id, started_after, started_before } = request;
    const range = {
      project_id,
      started_after: started_after ?? null,
      started_before: started_before ?? null,
    };
    const since = await this.retention.cutoff(project_id);
    const from = spansFrom(range, since, searchConditions(request));
    const rows = await this.executor.rows<SpanRow>(
      sql`SELECT trace_id, span_id, agent_name, conversation_id, conversation_name, messages,
  toUnixTimestamp64Micro(started_at) AS started, 0 AS ended
${from} ORDER BY started_at DESC, span_id LIMIT ${bind('UInt64', SEARCHED_MAX)}`,
      context,
    );
    const found = new Map<string, SearchResult>();
    for (const row of rows) addMatches(found, row, request);
    const all = [...found.values()];
    const offset = request.offset ?? 0;
    return {
      results: all.slice(offset, offset + (request.limit ?? SPANS_LIMIT)),
      total_conversations: all.length,
    };
  }

  private async spansOf(
    projectId: string,
    traceIds: readonly string[],
    context: ReadContext,
  ): Promise<SpanRow[]> {
    const from = await this.from(projectId, sql`trace_id IN ${bind('Array(String)', traceIds)}`);
    return this.executor.rows<SpanRow>(
      sql`SELECT ${spanColumns(false)} ${from} ORDER BY started_at, span_id LIMIT ${bind('UInt64', TURN_SPANS_MAX)} BY trace_id`,
      context,
    );
  }

  private async from(project_id: string, condition: Sql): Promise<Sql> {
    return spansFrom({ project_id }, await this.retention.cutoff(project_id), [condition]);
  }
}

/** The turns of spans, and the conversation of each. */
function markedBy(rows: readonly SpanRow[]): Map<AgentTarget, string> {
  const turns = new Map(
    rows.map((row) => [String(row['trace_id']), String(row['conversation_id'])] as const),
  );
  return new Map(
    [...turns].map(([id, conversation]) => [{ kind: 'agent_turn', id }, conversation]),
  );
}

const sequenceSpan = (row: SpanRow & { duration: number | string }) => ({
  trace_id: row['trace_id'],
  span_id: row['span_id'],
  operation_name: row['operation_name'],
  status: row['status_code'],
  duration_ms: Math.max(0, Number(row.duration)),
});

function costText(rows: readonly SpanRow[], prices: PriceList): string {
  const cost = sumOf(rows.map((row) => spanCost(row, prices)));
  return cost === undefined ? 'null' : decimalOf(cost);
}

/** The text as it is inside of JSON. */
const jsonText = (query: string): string => JSON.stringify(query).slice(1, -1);

function searchConditions(request: AgentSearchRequest): Sql[] {
  const names = [
    'agent_name',
    'conversation_id',
    'provider_name',
    'request_model',
    'trace_id',
  ] as const;
  const query = request.query ?? '';
  return [
    ...names.flatMap((name) => {
      const value = request[name];
      return value ? [sql`${raw(name)} = ${bind('String', value)}`] : [];
    }),
    ...(query === ''
      ? []
      : [sql`positionCaseInsensitiveUTF8(messages, ${bind('String', jsonText(query))}) > 0`]),
  ];
}

interface SearchResult {
  readonly conversation_id: string;
  readonly conversation_name: string;
  readonly agent_name: string;
  readonly last_activity: string | null;
  readonly matched_messages: object[];
}

/** Adds the messages of a span that match. A conversation is shown once, with its newest matches. */
function addMatches(
  found: Map<string, SearchResult>,
  row: SpanRow,
  { query, roles, truncate_content }: AgentSearchRequest,
): void {
  const text = (query ?? '').toLowerCase();
  const parsed = JSON.parse(String(row['messages'] || '{}')) as Record<string, ChatMessage[]>;
  const matches = [...(parsed['input'] ?? []), ...(parsed['output'] ?? [])].filter(
    ({ role, content }) =>
      content.toLowerCase().includes(text) && (!roles?.length || roles.includes(role)),
  );
  if (matches.length === 0) return;
  const conversation = String(row['conversation_id'] ?? '');
  const result = found.get(conversation) ?? {
    conversation_id: conversation,
    conversation_name: String(row['conversation_name'] ?? ''),
    agent_name: String(row['agent_name'] ?? ''),
    last_activity: timeText(row.started),
    matched_messages: [],
  };
  found.set(conversation, result);
  for (const { role, content } of matches) {
    if (result.matched_messages.length === MATCHES_MAX) return;
    result.matched_messages.push({
      role,
      content_preview: truncate_content === false ? content : content.slice(0, PREVIEW_CHARACTERS),
      content_digest: createHash('sha256').update(content).digest('hex'),
      span_id: row['span_id'],
      trace_id: row['trace_id'],
      started_at: timeText(row.started),
    });
  }
}
