import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsArray, IsOptional, IsString } from 'class-validator';
import type { JsonText } from '@app/wire';
import { OptionalText, ProjectId, Text } from './fields.js';
import { Aliases, AnyValue, ObjectName, Tags } from './object-fields.js';

/** A value to publish under a name. */
export class ObjectCreateRecord {
  @ProjectId() project_id!: string;
  @ObjectName() object_id!: string;
  @AnyValue('Any JSON value, stored as the exact text that was sent.') val!: JsonText;
  @OptionalText('Store the value as an instance of this built-in class.') builtin_object_class?:
    string | null;
  @OptionalText('Former name of builtin_object_class.') set_base_object_class?: string | null;
  @OptionalText('Respond with 409 unless the digest of the value is this one.') expected_digest?:
    string | null;
  @OptionalText('Ignored: the server uses the user of the API key.') wb_user_id?: string | null;
}

export class ObjectCreateRequest {
  @ApiProperty({ type: ObjectCreateRecord }) obj!: ObjectCreateRecord;
}

export class ObjectCreateResponse {
  @ApiProperty() digest!: string;
  @ApiProperty() object_id!: string;
}

export class ObjectDeleteRequest {
  @ProjectId() project_id!: string;
  @Text('The name of the object or op.') object_id!: string;
  @ApiPropertyOptional({
    type: 'array',
    items: { type: 'string' },
    nullable: true,
    description: 'Digests, `latest` or `v<N>`, at most 100; absent for all versions.',
  })
  @IsOptional()
  @IsArray()
  @IsString({ each: true })
  digests?: string[] | null;
}

export class DeletedVersion {
  @ApiProperty() digest!: string;
  @ApiProperty({ type: 'string', nullable: true }) base_object_class!: string | null;
  @ApiProperty({ type: 'string', nullable: true }) leaf_object_class!: string | null;
}

export class ObjectDeleteResponse {
  @ApiProperty({ type: 'integer' }) num_deleted!: number;
  @ApiProperty({ type: [DeletedVersion] }) deleted_versions!: DeletedVersion[];
}

export class TagsRequest {
  @ProjectId() project_id!: string;
  @Tags('Tags of the version.') tags!: string[];
}

export class AliasesSetRequest {
  @ProjectId() project_id!: string;
  @Text('The version: a digest, `latest`, `v<N>` or an alias.') digest!: string;
  @Aliases('Aliases to set on the version.') aliases!: string[];
}

export class AliasesRemoveRequest {
  @ProjectId() project_id!: string;
  @Aliases('Aliases to remove.') aliases!: string[];
}

export class ProjectsInfoRequest {
  @ApiProperty({ type: 'array', items: { type: 'string' } })
  @IsArray()
  @IsString({ each: true })
  project_ids!: string[];
}

export class ProjectInfo {
  @ApiProperty() external_project_id!: string;
  @ApiProperty({ description: 'The id of the project in refs that digests are computed over.' })
  internal_project_id!: string;
}
