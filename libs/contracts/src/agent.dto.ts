import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsNotEmpty, IsOptional, IsString, MaxLength, ValidateBy } from 'class-validator';
import {
  Choice,
  Id,
  OptionalFlag,
  OptionalInteger,
  OptionalObject,
  OptionalPart,
  OptionalParts,
  OptionalText,
  OptionalTexts,
  OptionalTimestamp,
  ProjectId,
  Text,
  Timestamp,
} from './fields.js';
import {
  AGGREGATIONS,
  GROUPS_MAX,
  SpanAttributeRef,
  SpanBuckets,
  SpanDistribution,
  SpanGroupFilter,
  SpanGroupRef,
  SpanMeasure,
  SpanValueRef,
  VALUE_TYPES,
} from './agent-groups.dto.js';
import { OptionalSort, type SortField } from './object-sort.dto.js';
import { Granularity, Percentiles } from './usage.dto.js';

const LIMIT_MAX = 1000;
const OptionalPage = () => OptionalInteger(0, LIMIT_MAX, `At most ${LIMIT_MAX}; 100 when absent.`);
const OptionalOffset = () => OptionalInteger(0, Number.MAX_SAFE_INTEGER, 'Number to skip.');

/** Part of the interface, and refused: a response without it would be another one than requested. */
const Unsupported = (): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({
      type: 'object',
      additionalProperties: true,
      nullable: true,
      description: 'Not supported: 422.',
    }),
    IsOptional(),
    ValidateBy({
      name: 'isUnsupported',
      validator: { validate: isEmpty, defaultMessage: () => 'is not supported by this server' },
    }),
  );

/** Clients send lists and objects without members by default. */
const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  Object.values(value).every((member) => member === null || isEmpty(member));

const MEASURES_MAX = 20;
const FILTERS_MAX = 5;
const ROLES = ['', 'user', 'assistant', 'system', 'tool', 'tool_call', 'tool_result'];

class SpanRange {
  @OptionalTimestamp('Spans that started at this time or later.') started_after?: string | null;
  @OptionalTimestamp('Spans that started before this time.') started_before?: string | null;
}

export class AgentSpansQueryRequest extends SpanRange {
  @ProjectId() project_id!: string;
  @OptionalObject('An expression of the query language, over the fields of a span.') query?:
    object | null;
  @OptionalParts(() => SpanGroupRef, 'Returns groups instead of spans.', GROUPS_MAX) group_by?:
    SpanGroupRef[] | null;
  @OptionalParts(() => SpanMeasure, 'More values per group.', MEASURES_MAX) measures?:
    SpanMeasure[] | null;
  @OptionalParts(() => SpanGroupFilter, 'Only groups that match all.', FILTERS_MAX)
  group_filters?: SpanGroupFilter[] | null;
  @OptionalParts(() => SpanDistribution, 'Values of attributes per group.', MEASURES_MAX)
  group_distributions?: SpanDistribution[] | null;
  @OptionalParts(() => SpanAttributeRef, 'Accepted: spans have all their attributes.')
  custom_attr_columns?: SpanAttributeRef[] | null;
  @Unsupported() insight_filters?: object | null;
  @Unsupported() signal_filters?: object | null;
  @OptionalFlag('Adds costs.') include_costs?: boolean | null;
  @OptionalFlag('Adds raw_span_dump.') include_details?: boolean | null;
  @OptionalSort('Newest first when absent.') sort_by?: SortField[] | null;
  @OptionalPage() limit?: number | null;
  @OptionalOffset() offset?: number | null;
}

const records = { type: 'array', items: { type: 'object', additionalProperties: true } } as const;

export class AgentSpansQueryResponse {
  @ApiProperty(records) spans!: object[];
  @ApiProperty(records) groups!: object[];
  @ApiProperty({ type: 'integer' }) total_count!: number;
}

export class SpanMetric {
  @Text('Its name in the response.') @MaxLength(256) alias!: string;
  @OptionalPart(() => SpanValueRef, 'The value.') @IsNotEmpty() value!: SpanValueRef;
  @Choice(VALUE_TYPES, 'The type of the value.') value_type!: string;
  @IsOptional()
  @IsString({ each: true })
  @ApiProperty({
    type: 'array',
    items: { type: 'string', enum: [...AGGREGATIONS] },
    required: false,
  })
  aggregations?: string[] | null;
  @Percentiles() percentiles?: number[] | null;
}

export class AgentSpanStatsRequest {
  @ProjectId() project_id!: string;
  @Timestamp('Spans that started at this time or later.') start!: string;
  @OptionalTimestamp('Spans that started before this time; now when absent.') end?: string | null;
  @Granularity() granularity?: number | null;
  @OptionalText('Time zone in which buckets begin; UTC when absent.') timezone?: string | null;
  @OptionalPart(() => SpanBuckets, 'By time when absent.')
  bucket_by?: SpanBuckets | null;
  @OptionalParts(() => SpanGroupRef, 'Rows per group.', GROUPS_MAX) group_by?:
    SpanGroupRef[] | null;
  @OptionalInteger(1, LIMIT_MAX, 'The groups with the most spans; 100 when absent.') group_limit?:
    number | null;
  @OptionalParts(() => SpanGroupFilter, 'Only spans of groups that match all.', FILTERS_MAX)
  group_filters?: SpanGroupFilter[] | null;
  @Unsupported() insight_filters?: object | null;
  @Unsupported() signal_filters?: object | null;
  @OptionalParts(() => SpanMetric, 'What is aggregated.', MEASURES_MAX) metrics?:
    SpanMetric[] | null;
  @OptionalObject('An expression of the query language, over the fields of a span.') query?:
    object | null;
}

export class AgentSpanStatsResponse {
  @ApiProperty({ format: 'date-time' }) start!: string;
  @ApiProperty({ format: 'date-time' }) end!: string;
  @ApiProperty() timezone!: string;
  @ApiProperty() bucket_type!: string;
  @ApiProperty({ type: 'integer', nullable: true }) granularity!: number | null;
  @ApiProperty(records) columns!: object[];
  @ApiProperty(records) rows!: object[];
}

export class SpanAttributesRequest extends SpanRange {
  @ProjectId() project_id!: string;
  @OptionalObject('An expression of the query language, over the fields of a span.') query?:
    object | null;
  @OptionalPage() limit?: number | null;
  @OptionalOffset() offset?: number | null;
}

export class SpanAttributesResponse {
  @ApiProperty(records) attributes!: object[];
  @ApiProperty() has_more!: boolean;
  @ApiProperty({ type: 'integer' }) limit!: number;
  @ApiProperty({ type: 'integer' }) offset!: number;
}

export class AgentFilters {
  @OptionalText('Only this agent.') agent_name?: string | null;
}

export class AgentsQueryRequest {
  @ProjectId() project_id!: string;
  @OptionalPart(() => AgentFilters, 'Conditions on agents.') filters?: AgentFilters | null;
  @OptionalFlag('Adds total_cost_usd.') include_costs?: boolean | null;
  @OptionalSort('The last seen first when absent.') sort_by?: SortField[] | null;
  @OptionalPage() limit?: number | null;
  @OptionalOffset() offset?: number | null;
}

export class AgentsQueryResponse {
  @ApiProperty(records) agents!: object[];
  @ApiProperty({ type: 'integer' }) total_count!: number;
}

export class AgentVersionsRequest {
  @ProjectId() project_id!: string;
  @Text('The agent.') agent_name!: string;
  @OptionalFlag('Adds total_cost_usd.') include_costs?: boolean | null;
  @OptionalSort('The last seen first when absent.') sort_by?: SortField[] | null;
  @OptionalPage() limit?: number | null;
  @OptionalOffset() offset?: number | null;
}

export class AgentVersionsResponse {
  @ApiProperty(records) versions!: object[];
  @ApiProperty({ type: 'integer' }) total_count!: number;
}

export class AgentTraceChatRequest {
  @ProjectId() project_id!: string;
  @Id('The trace, which is one turn.') trace_id!: string;
  @OptionalFlag('Adds the feedback on the turn.') include_feedback?: boolean | null;
}

export class AgentTraceChatResponse {
  @ApiProperty() trace_id!: string;
  @ApiProperty(records) messages!: object[];
}

export class AgentConversationChatRequest {
  @ProjectId() project_id!: string;
  @Text('The conversation.') conversation_id!: string;
  @OptionalFlag('Adds the feedback on the conversation.') include_feedback?: boolean | null;
  @OptionalInteger(0, 100, 'Maximum number of turns; 20 when absent.') limit?: number | null;
  @OptionalInteger(0, Number.MAX_SAFE_INTEGER, 'Number of the newest turns to skip.') offset?:
    number | null;
}

export class AgentConversationChatResponse {
  @ApiProperty() conversation_id!: string;
  @ApiProperty({ type: 'integer' }) total_turns!: number;
  @ApiProperty({ type: [AgentTraceChatResponse] }) turns!: AgentTraceChatResponse[];
}

export class AgentConversationSpansRequest extends SpanRange {
  @ProjectId() project_id!: string;
  @OptionalTexts('The conversations.') conversation_ids?: string[] | null;
}

export class AgentConversationSpansResponse {
  @ApiProperty(records) conversations!: object[];
}

export class AgentSearchRequest extends SpanRange {
  @ProjectId() project_id!: string;
  @OptionalText('A text that a message contains.') query?: string | null;
  @OptionalText('Only spans of this agent.') agent_name?: string | null;
  @OptionalText('Only this conversation.') conversation_id?: string | null;
  @OptionalText('Only this provider.') provider_name?: string | null;
  @OptionalText('Only this model.') request_model?: string | null;
  @OptionalText('Only this trace.') trace_id?: string | null;
  @OptionalTexts(`Only messages with these roles: ${ROLES.filter(Boolean).join(', ')}.`) roles?:
    string[] | null;
  @OptionalFlag('False: whole messages instead of previews.') truncate_content?: boolean | null;
  @OptionalPage() limit?: number | null;
  @OptionalOffset() offset?: number | null;
}

export class AgentSearchResponse {
  @ApiProperty(records) results!: object[];
  @ApiProperty({ type: 'integer' }) total_conversations!: number;
}
