import { ApiProperty } from '@nestjs/swagger';
import {
  OptionalFlag,
  OptionalTimestamp,
  OptionalPart,
  OptionalTexts,
  ProjectId,
} from './fields.js';
import { OptionalLimit } from './object-fields.js';
import { OptionalSort, type SortField } from './object-sort.dto.js';

export class ThreadsFilter {
  @OptionalTimestamp('Turns that started after this.') after_datetime?: string | null;
  @OptionalTimestamp('Turns that started before this.') before_datetime?: string | null;
  @OptionalTexts('Only these threads.') thread_ids?: string[] | null;
}

export class ThreadsQueryRequest {
  @ProjectId() project_id!: string;
  @OptionalPart(() => ThreadsFilter, 'Conditions on turns.') filter?: ThreadsFilter | null;
  @OptionalLimit('Maximum number of threads.') limit?: number | null;
  @OptionalLimit('Number of threads to skip.') offset?: number | null;
  @OptionalSort('Most recently updated first when absent.') sort_by?: SortField[] | null;
}

const nullableNumber = { type: 'number', nullable: true } as const;

/** A conversation: a group of turns, each opened by one call. */
export class ThreadSchema {
  @ApiProperty() thread_id!: string;
  @ApiProperty({ type: 'integer' }) turn_count!: number;
  @ApiProperty({ format: 'date-time' }) start_time!: string;
  @ApiProperty({ format: 'date-time' }) last_updated!: string;
  @ApiProperty({ type: 'string', nullable: true }) first_turn_id!: string | null;
  @ApiProperty({ type: 'string', nullable: true }) last_turn_id!: string | null;
  @ApiProperty(nullableNumber) p50_turn_duration_ms!: number | null;
  @ApiProperty(nullableNumber) p99_turn_duration_ms!: number | null;
}

export class ProjectStatsRequest {
  @ProjectId() project_id!: string;
  @OptionalFlag('true when absent.') include_trace_storage_size?: boolean | null;
  @OptionalFlag('true when absent.') include_object_storage_size?: boolean | null;
  @OptionalFlag('true when absent.') include_table_storage_size?: boolean | null;
  @OptionalFlag('true when absent.') include_file_storage_size?: boolean | null;
}

/** Sizes of the data as sent, in bytes; null when not requested. */
export class ProjectStatsResponse {
  @ApiProperty({ type: 'integer', nullable: true }) trace_storage_size_bytes!: number | null;
  @ApiProperty({ type: 'integer', nullable: true }) objects_storage_size_bytes!: number | null;
  @ApiProperty({ type: 'integer', nullable: true }) tables_storage_size_bytes!: number | null;
  @ApiProperty({ type: 'integer', nullable: true }) files_storage_size_bytes!: number | null;
}
