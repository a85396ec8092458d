import { Body, Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Caller, requireAccess, type Principal } from '@app/auth';
import {
  ObjectCreateRecord,
  ObjectCreateRequest,
  ObjectCreateResponse,
  ObjectDeleteRequest,
  ObjectDeleteResponse,
} from '@app/contracts';
import { Operation, ProblemError } from '@app/http';
import { AuditTrail, RecordPublisher, versionsKey, type PlacingStep } from '@app/queue';
import { Clock } from '../clock.js';
import { memberObject, recordOf } from '../record-body.js';
import { publishedFact } from './object-facts.js';
import { ObjectsPublisher } from './objects.publisher.js';
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
    summary: 'Publish a value under a name',
    body: ObjectCreateRequest,
    response: ObjectCreateResponse,
  })
  async create(@Body() body: Buffer, @Caller() caller: Principal): Promise<ObjectCreateResponse> {
    const json = memberObject(body, 'obj');
    const record = recordOf(ObjectCreateRecord, json, ['val'], ['body', 'obj']);
    requireAccess(caller, 'write', [record.project_id]);
    const fact = publishedFact(record, this.receipt(caller, record.project_id));
    await this.objects.publish(fact);
    return { digest: fact.data.digest, object_id: record.object_id };
  }

  @Operation('delete', {
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
        `digests names ${count} versions; send ${DELETE_MAX}.`,
      );
    }
    const known = await this.versions.read(project_id, object_id);
    const doomed = versionsToDelete(object_id, known, digests);
    const facts = deletedFacts(object_id, doomed, this.receipt(caller, project_id));
    await this.records.publish(facts, releasing(project_id, object_id, known, doomed));
    await this.audit.record({
      userId: caller.user,
      action: 'objects.delete',
      projectId: project_id,
      detail: { object_id, digests: doomed.map(({ digest }) => digest) },
    });
    return deleteResponse(doomed);
  }

  private receipt({ user }: Principal, projectId: string) {
    return { projectId, userId: user, receivedAt: this.clock.now() };
  }
}

/** A name without living versions is no longer bound to a class. */
function releasing(
  projectId: string,
  objectId: string,
  { versions }: Versions,
  doomed: readonly Version[],
): { keys: string[]; steps: PlacingStep[] } {
  const kinds = ['object', 'op'] as const;
  const isBound = (kind: string) =>
    versions.some((one) => one.kind === kind && one.isLive && !doomed.includes(one));
  return {
    keys: kinds.map((kind) => versionsKey(projectId, kind, objectId)),
    steps: doomed.map(({ kind }) => (isBound(kind) ? {} : { release: kinds.indexOf(kind) + 3 })),
  };
}
