import { ApiProperty } from '@nestjs/swagger';
import { AnyText, OptionalFlag, OptionalPart, OptionalTexts, ProjectId, Text } from './fields.js';
import { OptionalLimit } from './object-fields.js';
import { OptionalSort, type SortField } from './object-sort.dto.js';

export class ObjectReadRequest {
  @ProjectId() project_id!: string;
  @Text('The name of the object or op.') object_id!: string;
  @AnyText('A digest, `latest`, `v<N>` or an alias.') digest!: string;
  @OptionalFlag('Return `val` empty.') metadata_only?: boolean | null;
  @OptionalFlag('Return `tags` and `aliases`.') include_tags_and_aliases?: boolean | null;
}

/** Conditions on versions. A version must match all of them. */
export class ObjectsFilter {
  @OptionalTexts('Versions of any of these names.') object_ids?: string[] | null;
  @OptionalFlag('Only the latest version of each name.') latest_only?: boolean | null;
  @OptionalFlag('`true` for ops only, `false` for objects only.') is_op?: boolean | null;
  @OptionalTexts('Of any of these base classes.') base_object_classes?: string[] | null;
  @OptionalTexts('Of none of these base classes.') exclude_base_object_classes?: string[] | null;
  @OptionalTexts('Of any of these classes.') leaf_object_classes?: string[] | null;
  @OptionalTexts('With any of these tags.') tags?: string[] | null;
  @OptionalTexts('With any of these aliases, which may include `latest`.') aliases?:
    string[] | null;
}

export class ObjectsQueryRequest {
  @ProjectId() project_id!: string;
  @OptionalPart(() => ObjectsFilter, 'Conditions on versions.') filter?: ObjectsFilter | null;
  @OptionalLimit('Maximum number of versions.') limit?: number | null;
  @OptionalLimit('Number of versions to skip.') offset?: number | null;
  @OptionalSort('object_id, created_at.') sort_by?: SortField[] | null;
  @OptionalFlag('Return `val` empty.') metadata_only?: boolean | null;
  @OptionalFlag('Return `size_bytes`.') include_storage_size?: boolean | null;
  @OptionalFlag('Return `tags` and `aliases`.') include_tags_and_aliases?: boolean | null;
}

const nullableText = { type: 'string', nullable: true } as const;
const nullableTexts = { type: 'array', items: { type: 'string' }, nullable: true } as const;

/** A version as the query API returns it. */
export class ObjectSchema {
  @ApiProperty() project_id!: string;
  @ApiProperty() object_id!: string;
  @ApiProperty({ format: 'date-time', description: 'When this content was first published.' })
  created_at!: string;
  @ApiProperty({ ...nullableText, format: 'date-time' }) deleted_at!: string | null;
  @ApiProperty() digest!: string;
  @ApiProperty({ type: 'integer' }) version_index!: number;
  @ApiProperty({ type: 'integer', enum: [0, 1] }) is_latest!: number;
  @ApiProperty({ enum: ['object', 'op'] }) kind!: string;
  @ApiProperty(nullableText) base_object_class!: string | null;
  @ApiProperty(nullableText) leaf_object_class!: string | null;
  @ApiProperty({ type: 'object', additionalProperties: true }) val!: unknown;
  @ApiProperty(nullableText) wb_user_id!: string | null;
  @ApiProperty({ type: 'integer', nullable: true }) size_bytes!: number | null;
  @ApiProperty(nullableTexts) tags!: string[] | null;
  @ApiProperty(nullableTexts) aliases!: string[] | null;
}

export class ObjectReadResponse {
  @ApiProperty({ type: ObjectSchema }) obj!: ObjectSchema;
}

export class ObjectsQueryResponse {
  @ApiProperty({ type: [ObjectSchema] }) objs!: ObjectSchema[];
}

export class TagsListResponse {
  @ApiProperty({ type: [String] }) tags!: string[];
}

export class AliasesListResponse {
  @ApiProperty({ type: [String] }) aliases!: string[];
}
