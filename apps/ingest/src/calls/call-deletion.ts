import { Injectable } from '@nestjs/common';
import { actorOf, requireAccess, type Principal } from '@app/auth';
import type { CallsDeleteRequest } from '@app/contracts';
import { ProblemError } from '@app/http';
import { AuditTrail, PendingWrites } from '@app/queue';
import { deletedFact } from './call-facts.js';
import { CallIntake } from './call-intake.js';
import { SubtreeReader } from './subtree.reader.js';

const IDS_MAX = 1000;
const AUDITED_IDS = 100;
/** How long a delete waits for calls that are still in the queue: their descendants are unknown until then. */
const WAIT_MS = 5000;

/** Deletes subtrees. A requested id gets a fact even if its call is unknown, so that a call that arrives later stays deleted. */
@Injectable()
export class CallDeletion {
  constructor(
    private readonly intake: CallIntake,
    private readonly pending: PendingWrites,
    private readonly subtrees: SubtreeReader,
    private readonly audit: AuditTrail,
  ) {}

  /** Resolves to the ids of the stored calls that were deleted. */
  async delete(
    caller: Principal,
    { project_id, call_ids }: CallsDeleteRequest,
  ): Promise<ReadonlySet<string>> {
    if (call_ids.length > IDS_MAX) {
      throw new ProblemError(
        'too_many_ids',
        `At most ${IDS_MAX} calls can be deleted at once, not ${call_ids.length}.`,
      );
    }
    requireAccess(caller, 'delete', [project_id]);
    await this.pending.projectSettled(project_id, WAIT_MS);
    const found = await this.subtrees.callsUnder(project_id, call_ids);
    const context = this.intake.context(caller);
    const all = new Set([...call_ids, ...found]);
    await this.intake.accept(
      caller,
      [...all].map((id) => deletedFact(project_id, id, context)),
    );
    await this.audit.record({
      ...actorOf(caller),
      action: 'calls.delete',
      projectId: project_id,
      detail: { requested: call_ids.slice(0, AUDITED_IDS), deleted: found.size },
    });
    return found;
  }
}
