import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, IsArray, IsOptional, IsString, MaxLength } from 'class-validator';
import {
  Choice,
  Ids,
  OptionalFlag,
  OptionalId,
  OptionalPart,
  OptionalText,
  ProjectId,
  Text,
} from './fields.js';
import { OptionalLimit } from './object-fields.js';
import { OptionalSort, type SortField } from './object-sort.dto.js';

const NAME_MAX = 1024;
const DESCRIPTION_MAX = 65_536;
const LIST_MAX = 1000;

const texts = (about: string) => ({
  ...{ type: 'array', items: { type: 'string' }, maxItems: LIST_MAX, description: about },
});

const Texts = (about: string): PropertyDecorator =>
  applyDecorators(
    ApiProperty(texts(about) as object),
    IsArray(),
    ArrayMaxSize(LIST_MAX),
    IsString({ each: true }),
  );

export class AnnotationQueueCreateRequest {
  @ProjectId() project_id!: string;
  @Text('The name for annotators.') @MaxLength(NAME_MAX) name!: string;
  @OptionalText('What annotators should know.') @MaxLength(DESCRIPTION_MAX) description?:
    string | null;
  @Texts('Refs of the scorers or annotation specs that annotators fill in.') scorer_refs!: string[];
  @OptionalText('Ignored: the server uses the user of the API key.') wb_user_id?: string | null;
}

export class AnnotationQueueCreateResponse {
  @ApiProperty() id!: string;
}

/** Fields that are absent or null stay as they are. */
export class AnnotationQueueUpdateRequest {
  @ProjectId() project_id!: string;
  @OptionalText('The name for annotators.') @MaxLength(NAME_MAX) name?: string | null;
  @OptionalText('What annotators should know.') @MaxLength(DESCRIPTION_MAX) description?:
    string | null;
  @ApiPropertyOptional({
    ...texts('Refs of scorers or annotation specs.'),
    nullable: true,
  } as object)
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(LIST_MAX)
  @IsString({ each: true })
  scorer_refs?: string[] | null;
}

export class AnnotationQueueSchema {
  @ApiProperty() id!: string;
  @ApiProperty() project_id!: string;
  @ApiProperty() name!: string;
  @ApiProperty() description!: string;
  @ApiProperty({ type: [String] }) scorer_refs!: string[];
  @ApiProperty({ format: 'date-time' }) created_at!: string;
  @ApiProperty() created_by!: string;
  @ApiProperty({ format: 'date-time' }) updated_at!: string;
  @ApiProperty({ type: 'string', format: 'date-time', nullable: true }) deleted_at!: string | null;
}

export class AnnotationQueueResponse {
  @ApiProperty({ type: AnnotationQueueSchema }) queue!: AnnotationQueueSchema;
}

export class AnnotationQueuesQueryRequest {
  @ProjectId() project_id!: string;
  @OptionalText('Queues whose name contains this text, in any case.') name?: string | null;
  @OptionalSort('name, created_at, updated_at; newest first when absent.') sort_by?:
    SortField[] | null;
  @OptionalLimit('Maximum number of queues.') limit?: number | null;
  @OptionalLimit('Number of queues to skip.') offset?: number | null;
}

export class AnnotationItemsAddRequest {
  @ProjectId() project_id!: string;
  @Ids('The calls to add, at most 1000. Calls that do not exist are left out.') call_ids!: string[];
  @Texts('Paths of a call to show to annotators, such as `inputs.prompt`.')
  display_fields!: string[];
}

export class AnnotationItemsAddResponse {
  @ApiProperty({ type: 'integer' }) added_count!: number;
  @ApiProperty({ type: 'integer', description: 'Calls that were in the queue before.' })
  duplicates!: number;
}

const ITEM_STATES = ['unstarted', 'in_progress', 'completed', 'skipped'] as const;
const PROGRESS = ['in_progress', 'completed', 'skipped'] as const;

const OptionalStates = (about: string): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({
      ...{ type: 'array', items: { type: 'string', enum: [...ITEM_STATES] } },
      ...{ nullable: true, description: about },
    } as object),
    IsOptional(),
    IsArray(),
    ArrayMaxSize(LIST_MAX),
    IsString({ each: true }),
  );

/** Conditions on items. An item must match all of them. */
export class AnnotationItemsFilter {
  @OptionalId('The item with this id.') id?: string | null;
  @OptionalId('The item of this call.') call_id?: string | null;
  @OptionalText('Items of calls of exactly this op.') call_op_name?: string | null;
  @OptionalText('Items of calls of this trace.') call_trace_id?: string | null;
  @OptionalText('Items that this user added.') added_by?: string | null;
  @OptionalStates('Items in any of these states.') annotation_states?: string[] | null;
}

export class AnnotationItemsQueryRequest {
  @ProjectId() project_id!: string;
  @OptionalPart(() => AnnotationItemsFilter, 'Conditions on items.')
  filter?: AnnotationItemsFilter | null;
  @OptionalSort('In the order of addition when absent.') sort_by?: SortField[] | null;
  @OptionalLimit('Maximum number of items.') limit?: number | null;
  @OptionalLimit('Number of items to skip.') offset?: number | null;
  @OptionalFlag('Return position_in_queue: the place among all items of the queue, from 1.')
  include_position?: boolean | null;
}

const nullableTime = { type: 'string', format: 'date-time', nullable: true } as const;
const nullableText = { type: 'string', nullable: true } as const;

export class AnnotationItemSchema {
  @ApiProperty() id!: string;
  @ApiProperty() project_id!: string;
  @ApiProperty() queue_id!: string;
  @ApiProperty() call_id!: string;
  @ApiProperty({ format: 'date-time' }) call_started_at!: string;
  @ApiProperty(nullableTime) call_ended_at!: string | null;
  @ApiProperty() call_op_name!: string;
  @ApiProperty() call_trace_id!: string;
  @ApiProperty({ type: [String] }) display_fields!: string[];
  @ApiProperty(nullableText) added_by!: string | null;
  @ApiProperty({ enum: [...ITEM_STATES] }) annotation_state!: string;
  @ApiProperty({ ...nullableText, description: 'Who claimed or finished the item.' })
  annotator_user_id!: string | null;
  @ApiProperty({ format: 'date-time' }) created_at!: string;
  @ApiProperty() created_by!: string;
  @ApiProperty({ format: 'date-time' }) updated_at!: string;
  @ApiProperty(nullableTime) deleted_at!: string | null;
  @ApiProperty({ type: 'integer', nullable: true }) position_in_queue!: number | null;
}

export class AnnotationItemsQueryResponse {
  @ApiProperty({ type: [AnnotationItemSchema] }) items!: AnnotationItemSchema[];
}

export class AnnotationProgressRequest {
  @ProjectId() project_id!: string;
  @Choice(PROGRESS, 'in_progress claims the item; completed and skipped finish it.')
  annotation_state!: (typeof PROGRESS)[number];
}

export class AnnotationProgressResponse {
  @ApiProperty({ type: AnnotationItemSchema }) item!: AnnotationItemSchema;
}

export class AnnotationQueuesStatsRequest {
  @ProjectId() project_id!: string;
  @Texts('The queues.') queue_ids!: string[];
}

export class AnnotationQueueStats {
  @ApiProperty() queue_id!: string;
  @ApiProperty({ type: 'integer' }) total_items!: number;
  @ApiProperty({ type: 'integer', description: 'Items that are completed or skipped.' })
  completed_items!: number;
}

export class AnnotationQueuesStatsResponse {
  @ApiProperty({ type: [AnnotationQueueStats], description: 'Unknown queues are left out.' })
  stats!: AnnotationQueueStats[];
}
