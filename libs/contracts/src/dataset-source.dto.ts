import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsObject, IsOptional, ValidateNested } from 'class-validator';
import {
  AnyText,
  Choice,
  Id,
  Ids,
  OptionalFlag,
  OptionalText,
  OptionalTexts,
  ProjectId,
  Text,
} from './fields.js';
import { OptionalLimit } from './object-fields.js';

const LIST_MAX = 1000;
const KINDS = ['call', 'span', 'conversation'] as const;

const Parts = (type: () => new () => object, about: string): PropertyDecorator =>
  applyDecorators(
    ApiProperty({ type, isArray: true, maxItems: LIST_MAX, description: about }),
    IsArray(),
    ArrayMaxSize(LIST_MAX),
    IsObject({ each: true }),
    ValidateNested({ each: true }),
    Type(type),
  );

/** What a row of a dataset was made from. */
export class DatasetSource {
  @Choice(KINDS, 'call, span or conversation.') source_kind!: (typeof KINDS)[number];
  @Id('The id of the call, the span or the conversation.') source_id!: string;
  @AnyText('The trace of a span. Empty for a conversation; ignored for a call.')
  source_trace_id!: string;
}

export class DatasetRowSources {
  @Id('The digest of the row.') row_digest!: string;
  @Parts(() => DatasetSource, 'What the row was made from.') sources!: DatasetSource[];
  @ApiPropertyOptional({
    ...{ type: 'object', additionalProperties: true, nullable: true },
    description: 'Stored with each link.',
  })
  @IsOptional()
  @IsObject()
  link_metadata?: object | null;
}

export class DatasetSourcesLinkRequest {
  @ProjectId() project_id!: string;
  @Text('The name of the dataset.') dataset_object_id!: string;
  @AnyText('The version of the dataset, for the audit log.') dataset_digest!: string;
  @Parts(() => DatasetRowSources, 'Rows and their sources, together at most 1000 links.')
  links!: DatasetRowSources[];
  @OptionalFlag('Return whether each link is new.') include_created_status?: boolean | null;
  @OptionalText('Ignored: the server uses the user of the API key.') wb_user_id?: string | null;
}

export class DatasetLinkEntry {
  @ApiProperty() link_id!: string;
  @ApiProperty({ type: 'boolean', nullable: true, description: 'null unless it was requested.' })
  created!: boolean | null;
}

export class DatasetSourcesLinkResponse {
  @ApiProperty({ type: [DatasetLinkEntry], description: 'In the order of the request.' })
  entries!: DatasetLinkEntry[];
}

export class DatasetSourcesUnlinkRequest {
  @ProjectId() project_id!: string;
  @Ids('The links to remove, at most 1000.') link_ids!: string[];
  @OptionalText('Ignored: the server uses the user of the API key.') wb_user_id?: string | null;
}

export class DatasetUnlinkEntry {
  @ApiProperty() link_id!: string;
  @ApiProperty({ description: 'false for a link that was removed before.' }) deleted!: boolean;
}

export class DatasetSourcesUnlinkResponse {
  @ApiProperty({ type: [DatasetUnlinkEntry] }) entries!: DatasetUnlinkEntry[];
}

export class DatasetSourcesQueryRequest {
  @ProjectId() project_id!: string;
  @Text('The name of the dataset.') dataset_object_id!: string;
  @OptionalTexts('Links of these rows.') row_digests?: string[] | null;
  @OptionalTexts('Links to sources of these kinds.') source_kinds?: string[] | null;
  @OptionalFlag('Return removed links, too.') include_deleted?: boolean | null;
  @OptionalLimit('Maximum number of links.') limit?: number | null;
  @OptionalLimit('Number of links to skip.') offset?: number | null;
  @OptionalText('Ignored.') wb_user_id?: string | null;
}

export class DatasetSourceLink {
  @ApiProperty() id!: string;
  @ApiProperty() row_digest!: string;
  @ApiProperty({ enum: [...KINDS] }) source_kind!: string;
  @ApiProperty() source_id!: string;
  @ApiProperty() source_trace_id!: string;
  @ApiProperty({ format: 'date-time' }) source_started_at!: string;
  @ApiProperty() source_display_name!: string;
  @ApiProperty({ type: 'object', additionalProperties: true, nullable: true })
  link_metadata!: object | null;
  @ApiProperty({ type: 'string', nullable: true }) added_by!: string | null;
  @ApiProperty({ format: 'date-time' }) created_at!: string;
  @ApiProperty({ format: 'date-time' }) updated_at!: string;
  @ApiProperty({ type: 'string', format: 'date-time', nullable: true }) deleted_at!: string | null;
}

export class DatasetSourcesQueryResponse {
  @ApiProperty({ type: [DatasetSourceLink] }) links!: DatasetSourceLink[];
}

export class SourceDatasetsQueryRequest {
  @ProjectId() project_id!: string;
  @Parts(() => DatasetSource, 'The sources.') sources!: DatasetSource[];
  @OptionalFlag('Count removed links, too.') include_deleted?: boolean | null;
  @OptionalText('Ignored.') wb_user_id?: string | null;
}

export class SourceMembership {
  @ApiProperty({ enum: [...KINDS] }) source_kind!: string;
  @ApiProperty() source_id!: string;
  @ApiProperty() source_trace_id!: string;
  @ApiProperty() dataset_object_id!: string;
  @ApiProperty({ type: [String], description: 'The first 100 in alphabetical order.' })
  row_digests!: string[];
  @ApiProperty() row_digests_truncated!: boolean;
  @ApiProperty({ type: 'integer' }) row_digests_total_count!: number;
  @ApiProperty({ format: 'date-time' }) first_seen_at!: string;
}

export class SourceDatasetsQueryResponse {
  @ApiProperty({ type: [SourceMembership] }) memberships!: SourceMembership[];
}
