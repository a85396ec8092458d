import { Body, Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { actorOf, Caller, covers, requireAdmin, type Principal } from '@app/auth';
import {
  ErasureCreateRequest,
  ErasureRecord,
  ErasuresQueryRequest,
  ErasuresQueryResponse,
} from '@app/contracts';
import { Operation, ProblemError } from '@app/http';
import { AuditTrail, ErasureRequests, OPEN_ERASURES_MAX } from '@app/queue';
import { erasureRecord } from './erasure-record.js';

const LISTED = 200;

/** Erases data permanently, as the command `erase` does. A worker carries it out; the list has its report. */
@ApiTags('admin')
@Controller('admin/erasures')
export class ErasuresController {
  constructor(
    private readonly requests: ErasureRequests,
    private readonly audit: AuditTrail,
  ) {}

  @Operation('', {
    needs: 'admin',
    summary: 'Erase a project, a trace or what a user wrote in a project, permanently',
    body: ErasureCreateRequest,
    response: ErasureRecord,
  })
  async create(
    @Body() body: ErasureCreateRequest,
    @Caller() caller: Principal,
  ): Promise<ErasureRecord> {
    const { project_id: projectId, trace_id: traceId = null, user: userId = null } = body;
    requireAdmin(caller, projectId);
    requireConfirmed(body);
    const actor = actorOf(caller);
    const detail = { ...(traceId && { traceId }), ...(userId && { userId }) };
    await this.audit.record({ ...actor, action: 'erase', projectId, detail });
    const request = await this.requests.add({ projectId, traceId, userId, actor });
    if (request !== undefined) return erasureRecord(request);
    throw new ProblemError(
      'rate_limited',
      `${OPEN_ERASURES_MAX} erasures wait for a worker; request more when they have ended.`,
    );
  }

  @Operation('query', {
    needs: 'admin',
    summary: 'List erasures with their reports, the newest first',
    body: ErasuresQueryRequest,
    response: ErasuresQueryResponse,
  })
  async query(
    @Body() { scope }: ErasuresQueryRequest,
    @Caller() caller: Principal,
  ): Promise<ErasuresQueryResponse> {
    const requested = scope ?? caller.scope;
    requireAdmin(caller, requested);
    const all = await this.requests.all();
    const within = all.filter(({ projectId }) => covers(requested, projectId));
    return { erasures: within.slice(0, LISTED).map(erasureRecord) };
  }
}

/** Erased data cannot be restored, so that a slip of the hand must not erase any. */
function requireConfirmed({ project_id, trace_id, user, confirm }: ErasureCreateRequest): void {
  if (trace_id && user)
    throw new ProblemError('invalid_request', 'Erase a trace or a user, not both.');
  const expected = trace_id ?? user ?? project_id;
  if (confirm === expected) return;
  const what = trace_id ? 'trace_id' : user ? 'user' : 'project_id';
  throw new ProblemError(
    'invalid_request',
    `Erased data cannot be restored: confirm must repeat ${what}.`,
  );
}
