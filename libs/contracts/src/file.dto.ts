import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ProjectId, Text } from './fields.js';

/** The parts of the multipart form, in any order. */
export class FileCreateForm {
  @ProjectId() project_id!: string;
  @ApiProperty({ type: 'string', format: 'binary' }) file!: unknown;
  @ApiPropertyOptional({
    description: 'Respond with 409 unless the digest of the file is this one.',
  })
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
