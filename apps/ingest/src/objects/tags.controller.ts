import { Body, Controller, Param } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { actorOf, Caller, type Principal } from '@app/auth';
import {
  AliasesRemoveRequest,
  AliasesSetRequest,
  EmptyResponse,
  OBJECT_NAME,
  TagsRequest,
} from '@app/contracts';
import { InvalidBodyError, Operation } from '@app/http';
import { AuditTrail, RecordPublisher } from '@app/queue';
import { Clock } from '../clock.js';
import { authorizedContext } from '../record-facts.js';
import { aliasFacts, liveVersion, tagFacts } from './version-changes.js';
import { VersionsReader } from './versions.reader.js';

/** Tags and aliases of versions. An empty list changes nothing. */
@ApiTags('objects')
@Controller('objs/:object_id')
export class TagsController {
  constructor(
    private readonly records: RecordPublisher,
    private readonly versions: VersionsReader,
    private readonly clock: Clock,
    private readonly audit: AuditTrail,
  ) {}

  @Operation('versions/:digest/tags', {
    method: 'PUT',
    needs: 'change',
    summary: 'Tag a version',
    body: TagsRequest,
    response: EmptyResponse,
  })
  add(
    @Param('object_id') objectId: string,
    @Param('digest') digest: string,
    @Body() body: TagsRequest,
    @Caller() caller: Principal,
  ): Promise<EmptyResponse> {
    return this.changeTags(caller, objectId, digest, body, true);
  }

  @Operation('versions/:digest/tags/remove', {
    needs: 'change',
    summary: 'Remove tags from a version',
    body: TagsRequest,
    response: EmptyResponse,
  })
  remove(
    @Param('object_id') objectId: string,
    @Param('digest') digest: string,
    @Body() body: TagsRequest,
    @Caller() caller: Principal,
  ): Promise<EmptyResponse> {
    return this.changeTags(caller, objectId, digest, body, false);
  }

  @Operation('aliases', {
    method: 'PUT',
    needs: 'change',
    summary: 'Point aliases at a version',
    body: AliasesSetRequest,
    response: EmptyResponse,
  })
  async setAliases(
    @Param('object_id') objectId: string,
    @Body() { project_id, digest, aliases }: AliasesSetRequest,
    @Caller() caller: Principal,
  ): Promise<EmptyResponse> {
    const context = authorizedContext(caller, 'change', project_id, this.clock);
    requireName(objectId);
    if (aliases.length === 0) return {};
    const known = await this.versions.read(project_id, objectId);
    const version = liveVersion(objectId, known, digest);
    const set = { object_id: objectId, digest: version.digest, aliases };
    await this.recordAudit('aliases.set', caller, project_id, set);
    await this.records.publish(aliasFacts(objectId, version.digest, aliases, context));
    return {};
  }

  @Operation('aliases/remove', {
    needs: 'change',
    summary: 'Remove aliases',
    body: AliasesRemoveRequest,
    response: EmptyResponse,
  })
  async removeAliases(
    @Param('object_id') objectId: string,
    @Body() { project_id, aliases }: AliasesRemoveRequest,
    @Caller() caller: Principal,
  ): Promise<EmptyResponse> {
    const context = authorizedContext(caller, 'change', project_id, this.clock);
    requireName(objectId);
    if (aliases.length === 0) return {};
    await this.recordAudit('aliases.remove', caller, project_id, { object_id: objectId, aliases });
    await this.records.publish(aliasFacts(objectId, '', aliases, context));
    return {};
  }

  private async changeTags(
    caller: Principal,
    objectId: string,
    digest: string,
    { project_id, tags }: TagsRequest,
    isSet: boolean,
  ): Promise<EmptyResponse> {
    const context = authorizedContext(caller, 'change', project_id, this.clock);
    requireName(objectId);
    if (tags.length === 0) return {};
    const known = await this.versions.read(project_id, objectId);
    const version = liveVersion(objectId, known, digest);
    const changed = { object_id: objectId, digest: version.digest, tags };
    await this.recordAudit(isSet ? 'tags.add' : 'tags.remove', caller, project_id, changed);
    await this.records.publish(tagFacts(objectId, version.digest, tags, isSet, context));
    return {};
  }

  private recordAudit(
    action: string,
    caller: Principal,
    projectId: string,
    detail: object,
  ): Promise<void> {
    return this.audit.record({ ...actorOf(caller), action, projectId, detail });
  }
}

/** The global pipe checks bodies only. */
function requireName(objectId: string): void {
  if (OBJECT_NAME.test(objectId)) return;
  const msg = 'must be 1 to 128 letters, digits, "_", "." or "-"';
  throw new InvalidBodyError([{ loc: ['path', 'object_id'], msg, type: 'matches' }]);
}
