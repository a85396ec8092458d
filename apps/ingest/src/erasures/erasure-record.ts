import type { ErasureRecord } from '@app/contracts';
import type { ErasureRequest } from '@app/queue';
import { microsOf, printTimestamp } from '@app/wire';

/** An erasure as the API returns it. */
export const erasureRecord = (request: ErasureRequest): ErasureRecord => ({
  id: request.id,
  project_id: request.projectId,
  trace_id: request.traceId,
  user: request.userId,
  requested_by: request.actor.userId,
  requested_at: printTimestamp(microsOf(request.requestedAt)),
  state: request.state,
  ended_at: request.endedAt === null ? null : printTimestamp(microsOf(request.endedAt)),
  calls: request.calls,
  files: request.files,
  rows: request.rows,
  not_reached: request.notReached,
  error: request.error,
});
