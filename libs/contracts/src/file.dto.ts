import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ProjectId, Text } from './fields.js';

/** The parts of the form, in any order. */
export class FileCreateForm {
  @ProjectId() project_id!: string;
  @ApiProperty({ type: 'string', format: 'binary' }) file!: unknown;
  @ApiPropertyOptional({ description: 'Refuse with 409 unless the digest is this.' })
  expected_digest?: string;
}

export class FileCreateResponse {
  @ApiProperty() digest!: string;
}

export class FileContentRequest {
  @ProjectId() project_id!: string;
  @Text('The file.') digest!: string;
}

export class FilesStatsRequest {
  @ProjectId() project_id!: string;
}

export class FilesStatsResponse {
  @ApiProperty({ type: 'integer' }) total_size_bytes!: number;
}
