import { Body, Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { actorOf, Caller, type Principal } from '@app/auth';
import {
  DatasetSourcesLinkRequest,
  DatasetSourcesLinkResponse,
  DatasetSourcesUnlinkRequest,
  DatasetSourcesUnlinkResponse,
} from '@app/contracts';
import { Operation, ProblemError } from '@app/http';
import { AuditTrail, PendingWrites, RecordPublisher } from '@app/queue';
import { Clock } from '../clock.js';
import { authorizedContext } from '../record-facts.js';
import { flatLinks, linkedFact, unlinkedFact } from './dataset-link.js';
import { SourcesReader } from './sources.reader.js';

const IDS_MAX = 1000;
/** How long a link waits for calls that are still in the queue of facts. */
const WAIT_MS = 5000;

/** Where the rows of datasets come from. */
@ApiTags('datasets')
@Controller('dataset_sources')
export class DatasetSourcesController {
  constructor(
    private readonly records: RecordPublisher,
    private readonly sources: SourcesReader,
    private readonly pending: PendingWrites,
    private readonly clock: Clock,
    private readonly audit: AuditTrail,
  ) {}

  @Operation('link', {
    needs: 'change',
    summary: 'Link rows of a dataset to the calls, spans or conversations they were made from',
    body: DatasetSourcesLinkRequest,
    response: DatasetSourcesLinkResponse,
  })
  async link(
    @Body() body: DatasetSourcesLinkRequest,
    @Caller() caller: Principal,
  ): Promise<DatasetSourcesLinkResponse> {
    const { project_id: projectId, dataset_object_id, dataset_digest } = body;
    const context = authorizedContext(caller, 'change', projectId, this.clock);
    const links = flatLinks(body);
    await this.pending.settled(projectId, caller.user, WAIT_MS);
    const stored = await this.sources.read(
      projectId,
      links.map(({ source }) => source),
    );
    const facts = links.map((link, i) => linkedFact(dataset_object_id, link, stored[i], context));
    const ids = facts.map(({ data }) => data.id);
    const known = body.include_created_status
      ? await this.sources.links(projectId, ids)
      : undefined;
    const detail = { dataset_object_id, dataset_digest, links: facts.length };
    await this.audit.record({ ...actorOf(caller), action: 'datasets.link', projectId, detail });
    await this.records.publish(facts);
    return {
      entries: ids.map((link_id) => ({ link_id, created: known ? !known.has(link_id) : null })),
    };
  }

  @Operation('link_delete', {
    needs: 'delete',
    summary: 'Remove links of rows to their sources',
    body: DatasetSourcesUnlinkRequest,
    response: DatasetSourcesUnlinkResponse,
  })
  async unlink(
    @Body() { project_id: projectId, link_ids }: DatasetSourcesUnlinkRequest,
    @Caller() caller: Principal,
  ): Promise<DatasetSourcesUnlinkResponse> {
    const context = authorizedContext(caller, 'delete', projectId, this.clock);
    if (link_ids.length > IDS_MAX) {
      const reason = `At most ${IDS_MAX} links can be removed at once, not ${link_ids.length}.`;
      throw new ProblemError('too_many_ids', reason);
    }
    const known = await this.sources.links(projectId, link_ids);
    const unknown = link_ids.find((id) => !known.has(id));
    if (unknown !== undefined) {
      const reason = `There is no link ${unknown.slice(0, 80)} in ${projectId}; none was removed.`;
      throw new ProblemError('source_not_found', reason);
    }
    const live = [...known.values()].filter(({ is_live }) => is_live === 1);
    const detail = { link_ids: live.slice(0, 100).map(({ id }) => id), links: live.length };
    await this.audit.record({ ...actorOf(caller), action: 'datasets.unlink', projectId, detail });
    await this.records.publish(
      live.map(({ id, dataset_id }) => unlinkedFact(id, dataset_id, context)),
    );
    const removed = new Set(live.map(({ id }) => id));
    return { entries: link_ids.map((link_id) => ({ link_id, deleted: removed.has(link_id) })) };
  }
}
