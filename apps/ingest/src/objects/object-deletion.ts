import { Injectable } from '@nestjs/common';
import { actorOf, requireAccess, type Principal } from '@app/auth';
import { ProblemError } from '@app/http';
import { AuditTrail, RecordPublisher, versionsKey, type OrderingStep } from '@app/queue';
import { Clock } from '../clock.js';
import { authorizedContext } from '../record-facts.js';
import { deletedFacts, versionsToDelete } from './version-changes.js';
import { VersionsReader, type Version, type Versions } from './versions.reader.js';

export const DELETE_MAX = 100;

/** Which versions of a name to delete. */
export interface Deletion {
  readonly projectId: string;
  readonly objectId: string;
  /** Digests, `latest`, `v<N>` or aliases; undefined for all versions. */
  readonly digests: readonly string[] | null | undefined;
  /** Other versions of the name are treated as if they did not exist. */
  readonly accepts?: (version: Version) => boolean;
}

/** Deletes versions of objects and ops. */
@Injectable()
export class ObjectDeletion {
  constructor(
    private readonly records: RecordPublisher,
    private readonly versions: VersionsReader,
    private readonly clock: Clock,
    private readonly audit: AuditTrail,
  ) {}

  /** Resolves to the deleted versions. */
  async delete(
    caller: Principal,
    { projectId, objectId, digests, accepts = () => true }: Deletion,
  ): Promise<Version[]> {
    requireAccess(caller, 'delete', [projectId]);
    if (digests && digests.length > DELETE_MAX) {
      const count = digests.length;
      throw new ProblemError(
        'invalid_request',
        `digests has ${count} versions; at most ${DELETE_MAX} are allowed.`,
      );
    }
    const known = await this.versions.read(projectId, objectId);
    const mine = { ...known, versions: known.versions.filter(accepts) };
    const deleted = versionsToDelete(objectId, mine, digests);
    // Received after the versions were read, so that the delete is later than each of them.
    const context = authorizedContext(caller, 'delete', projectId, this.clock);
    const facts = deletedFacts(objectId, deleted, context);
    await this.records.publish(facts, releasing(projectId, objectId, known, deleted));
    await this.audit.record({
      ...actorOf(caller),
      action: 'objects.delete',
      projectId,
      detail: { object_id: objectId, digests: deleted.map(({ digest }) => digest) },
    });
    return deleted;
  }
}

/** A name without live versions is no longer bound to a class. */
function releasing(
  projectId: string,
  objectId: string,
  { versions }: Versions,
  deleted: readonly Version[],
): { keys: string[]; steps: OrderingStep[] } {
  const kinds = ['object', 'op'] as const;
  const isBound = (kind: string) =>
    versions.some((one) => one.kind === kind && one.isLive && !deleted.includes(one));
  return {
    keys: kinds.map((kind) => versionsKey(projectId, kind, objectId)),
    steps: deleted.map(({ kind }) => (isBound(kind) ? {} : { release: kinds.indexOf(kind) + 3 })),
  };
}
