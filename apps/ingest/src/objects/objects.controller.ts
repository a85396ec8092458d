import { Body, Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { actorOf, Caller, requireAccess, type Principal } from '@app/auth';
import {
  ObjectCreateRequest,
  ObjectCreateResponse,
  ObjectDeleteRequest,
  ObjectDeleteResponse,
} from '@app/contracts';
import { asBuffer, Operation, ProblemError } from '@app/http';
import { AuditTrail, RecordPublisher, versionsKey, type OrderingStep } from '@app/queue';
import { Clock } from '../clock.js';
import { authorizedContext } from '../record-facts.js';
import { ObjectsPublisher } from './objects.publisher.js';
import { readObjectOf } from './read-object.js';
import { deleteResponse, deletedFacts, versionsToDelete } from './version-changes.js';
import { VersionsReader, type Version, type Versions } from './versions.reader.js';

const DELETE_MAX = 100;

@ApiTags('objects')
@Controller('obj')
export class ObjectsController {
  constructor(
    private readonly objects: ObjectsPublisher,
    private readonly records: RecordPublisher,
    private readonly versions: VersionsReader,
    private readonly clock: Clock,
    private readonly audit: AuditTrail,
  ) {}

  @Operation('create', {
    needs: 'write',
    summary: 'Publish a value under a name',
    body: ObjectCreateRequest,
    response: ObjectCreateResponse,
  })
  async create(@Body() body: Buffer, @Caller() caller: Principal): Promise<ObjectCreateResponse> {
    const fact = await readObjectOf(body, caller, this.clock.now());
    await this.objects.publish({ ...fact, body: asBuffer(fact.body) });
    return { digest: fact.data.digest, object_id: fact.data.objectId };
  }

  @Operation('delete', {
    needs: 'delete',
    summary: 'Delete versions of an object',
    body: ObjectDeleteRequest,
    response: ObjectDeleteResponse,
  })
  async delete(
    @Body() { project_id, object_id, digests }: ObjectDeleteRequest,
    @Caller() caller: Principal,
  ): Promise<ObjectDeleteResponse> {
    requireAccess(caller, 'delete', [project_id]);
    if (digests && digests.length > DELETE_MAX) {
      const count = digests.length;
      throw new ProblemError(
        'invalid_request',
        `digests has ${count} versions; at most ${DELETE_MAX} are allowed.`,
      );
    }
    const known = await this.versions.read(project_id, object_id);
    const deleted = versionsToDelete(object_id, known, digests);
    // Received after the versions were read, so that the delete is later than each of them.
    const context = authorizedContext(caller, 'delete', project_id, this.clock);
    const facts = deletedFacts(object_id, deleted, context);
    await this.records.publish(facts, releasing(project_id, object_id, known, deleted));
    await this.audit.record({
      ...actorOf(caller),
      action: 'objects.delete',
      projectId: project_id,
      detail: { object_id, digests: deleted.map(({ digest }) => digest) },
    });
    return deleteResponse(deleted);
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
