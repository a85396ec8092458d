import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, Matches } from 'class-validator';
import { OptionalText } from './fields.js';

const number = (description: string) => ApiProperty({ type: 'number', description });
const integer = (description: string) => ApiProperty({ type: 'integer', description });
const time = (description: string) =>
  ApiProperty({ type: String, format: 'date-time', nullable: true, description });

export class LaneRecord {
  @ApiProperty() name!: string;
  @integer('Chunks that no worker has taken yet.') waiting!: number;
  @integer('Chunks that a worker stores now.') active!: number;
  @integer('Chunks that a worker tries again later.') delayed!: number;
  @number('Age of the oldest of them; 0 without one.') oldest_seconds!: number;
}

export class RatesRecord {
  @number('Facts about calls that were received, per second.') received_per_second!: number;
  @number('Facts about calls that were stored, per second.') stored_per_second!: number;
  @number('The time over which both are averaged; 0 at the start.') over_seconds!: number;
}

export class WorkerRecord {
  @ApiProperty() id!: string;
  @ApiProperty() host!: string;
  @ApiProperty() version!: string;
  @ApiProperty({ format: 'date-time' }) started_at!: string;
}

const LEFT =
  'For how long writes are accepted if it fills as it did lately; at most 86400, also when it does not fill.';

export class DiskRecord {
  @ApiProperty({ description: '`Redis`, or `ClickHouse` with the name of the node.' })
  name!: string;
  @integer('') free_bytes!: number;
  @integer('') total_bytes!: number;
  @integer('Writes are refused below this.') reserve_bytes!: number;
  @integer(LEFT) seconds_left!: number;
}

export class QueueMemoryRecord {
  @integer('') used_bytes!: number;
  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Writes are refused at this; null when Redis has no limit.',
  })
  refused_at_bytes!: number | null;
  @integer(LEFT) seconds_left!: number;
}

export class MaintenanceJobRecord {
  @ApiProperty() name!: string;
  @number('') every_seconds!: number;
  @time('Null before the first run.') last_started_at!: string | null;
  @ApiProperty({ type: 'number', nullable: true }) last_took_seconds!: number | null;
  @ApiProperty({ type: String, nullable: true, description: 'Null when the last run succeeded.' })
  last_error!: string | null;
  @time('Null while no worker schedules it.') next_at!: string | null;
}

export class ServerHealthRecord {
  @ApiProperty({ type: [LaneRecord] }) lanes!: LaneRecord[];
  @ApiProperty({ type: RatesRecord }) rates!: RatesRecord;
  @ApiProperty({ type: [WorkerRecord] }) workers!: WorkerRecord[];
  @ApiProperty({ type: [DiskRecord] }) disks!: DiskRecord[];
  @ApiProperty({ type: QueueMemoryRecord }) queue_memory!: QueueMemoryRecord;
  @ApiProperty({ type: [MaintenanceJobRecord] }) maintenance!: MaintenanceJobRecord[];
}

export class HealthResponse {
  @ApiProperty({
    type: ServerHealthRecord,
    nullable: true,
    description: 'Null for a key whose scope is not `*`.',
  })
  server!: ServerHealthRecord | null;
}

class ScopeRequest {
  @OptionalText('A project, an entity or `*`. When absent: the scope of the key.')
  scope?: string | null;
}

export class LedgerRequest extends ScopeRequest {}

export class LedgerProjectRecord {
  @ApiProperty({ description: 'Empty for facts that name no project.' }) project_id!: string;
  @integer('') received!: number;
  @integer('') settled!: number;
  @integer('') pending!: number;
  @integer('Facts settled without a receipt, or receipted without being received.')
  unbalanced_facts!: number;
  @integer('Facts with a receipt that are neither in the log nor dead letters.')
  missing_facts!: number;
  @integer('Calls whose row lacks facts.') stale_calls!: number;
  @integer('Root calls whose usage differs from the one that reports read.')
  calls_with_other_usage!: number;
}

export class LedgerEquationRecord {
  @ApiProperty() equation!: string;
  @ApiProperty({ type: Boolean, nullable: true, description: 'Null before the first check.' })
  holds!: boolean | null;
}

export class LedgerResponse {
  @time('When a worker last compared the store with the queue.') checked_at!: string | null;
  @integer('Projects with facts in the queue or received lately.') projects!: number;
  @integer('') received!: number;
  @integer('') settled!: number;
  @integer('') pending!: number;
  @ApiProperty({ type: [LedgerEquationRecord] }) equations!: LedgerEquationRecord[];
  @ApiProperty({ type: [LedgerProjectRecord], description: 'The first hundred.' })
  broken!: LedgerProjectRecord[];
}

export class RetentionPreviewRequest extends ScopeRequest {
  @OptionalText('Continues after this project.') after?: string | null;
}

export class RetentionPreviewRecord {
  @ApiProperty() project_id!: string;
  @ApiProperty({ type: 'integer', nullable: true, description: 'Null is indefinitely.' })
  retention_days!: number | null;
  @integer('Calls that the next run would delete.') calls!: number;
  @ApiProperty({ type: 'integer', nullable: true, description: 'Null is as long as the call.' })
  feedback_retention_days!: number | null;
  @integer('Feedback that the next run would delete, with its call or by its own age.')
  feedback!: number;
}

export class RetentionPreviewResponse {
  @ApiProperty({ type: [RetentionPreviewRecord], description: 'At most 100, by project.' })
  projects!: RetentionPreviewRecord[];
  @ApiProperty({ type: String, nullable: true, description: 'More follow: send it as `after`.' })
  next!: string | null;
  @ApiProperty({ format: 'date-time' }) next_run_at!: string;
}

/** The end of the chain of the audit log. */
const CHAIN_HEAD = /^\d{1,15}:[0-9a-f]{64}$/;

const OptionalChainHead = (description: string): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({
      type: 'string',
      nullable: true,
      pattern: CHAIN_HEAD.source,
      description,
    }),
    IsOptional(),
    Matches(CHAIN_HEAD, { message: 'must be an end of the chain, as `end` of a response' }),
  );

export class AuditVerifyRequest {
  @OptionalChainHead('An end of the chain that was noted before.') expect?: string | null;
  @OptionalChainHead('Continues after a response with this `next`.') after?: string | null;
}

export class AuditVerifyResponse {
  @ApiProperty() is_unchanged!: boolean;
  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Entries of the whole server up to `end`; null for a key whose scope is not `*`.',
  })
  entries!: number | null;
  @ApiProperty({ type: String, nullable: true, description: 'Null for the same keys.' })
  end!: string | null;
  @ApiProperty({ type: [String], description: 'Empty for the same keys.' }) faults!: string[];
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'More entries are to be checked: send it as `after`.',
  })
  next!: string | null;
}
