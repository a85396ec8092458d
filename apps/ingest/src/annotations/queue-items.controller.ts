import { Body, Controller, Param } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Caller, type Principal } from '@app/auth';
import {
  AnnotationItemsAddRequest,
  AnnotationItemsAddResponse,
  AnnotationProgressRequest,
  AnnotationProgressResponse,
  itemRecord,
} from '@app/contracts';
import { Operation, ProblemError } from '@app/http';
import { PendingWrites, RecordPublisher } from '@app/queue';
import { Clock } from '../clock.js';
import { uuidOf } from '../ids.js';
import { authorizedContext } from '../record-facts.js';
import { addedFact } from './queue-facts.js';
import { ItemProgress } from './item-progress.js';
import { QueuesReader } from './queues.reader.js';

const IDS_MAX = 1000;
/** How long an addition waits for calls that are still in the queue of facts. */
const WAIT_MS = 5000;

/** The calls in a queue, and who annotates them. */
@ApiTags('annotations')
@Controller('annotation_queues/:queue_id/items')
export class QueueItemsController {
  constructor(
    private readonly records: RecordPublisher,
    private readonly queues: QueuesReader,
    private readonly pending: PendingWrites,
    private readonly progress: ItemProgress,
    private readonly clock: Clock,
  ) {}

  @Operation('', {
    needs: 'change',
    summary: 'Add calls to an annotation queue',
    body: AnnotationItemsAddRequest,
    response: AnnotationItemsAddResponse,
  })
  async add(
    @Param('queue_id') queueId: string,
    @Body() body: AnnotationItemsAddRequest,
    @Caller() caller: Principal,
  ): Promise<AnnotationItemsAddResponse> {
    const projectId = body.project_id;
    const context = authorizedContext(caller, 'change', projectId, this.clock);
    requireFew(body.call_ids);
    await this.queues.queue(projectId, queueId);
    await this.pending.settled(projectId, caller.user, WAIT_MS);
    const calls = await this.queues.calls(projectId, body.call_ids);
    const ids = new Map([...calls.keys()].map((id) => [itemId(projectId, queueId, id), id]));
    const items = await this.queues.items(projectId, queueId, [...ids.keys()]);
    const known = new Set(items.map(({ id }) => id));
    const added = [...new Set(body.call_ids)]
      .map((callId) => calls.get(callId))
      .filter((call) => call !== undefined)
      .map((call) => addedFact(itemId(projectId, queueId, call.id), queueId, call, body, context))
      .filter(({ data }) => !known.has(data.id));
    await this.records.publish(added);
    return { added_count: added.length, duplicates: known.size };
  }

  @Operation(':item_id/progress', {
    needs: 'change',
    summary: 'Claim or finish an item as the user of the key',
    body: AnnotationProgressRequest,
    response: AnnotationProgressResponse,
  })
  async setProgress(
    @Param('queue_id') queueId: string,
    @Param('item_id') id: string,
    @Body() { project_id, annotation_state }: AnnotationProgressRequest,
    @Caller() caller: Principal,
  ): Promise<AnnotationProgressResponse> {
    const context = authorizedContext(caller, 'change', project_id, this.clock);
    const item = await this.progress.set(queueId, id, annotation_state, context);
    return { item: itemRecord(project_id, item) };
  }
}

/** The same for the same call, so that a call is in a queue once, also when two clients add it at the same time. */
const itemId = (projectId: string, queueId: string, callId: string) =>
  uuidOf(projectId, queueId, callId, 'annotation item');

function requireFew(callIds: readonly string[]): void {
  if (callIds.length <= IDS_MAX) return;
  throw new ProblemError(
    'too_many_ids',
    `At most ${IDS_MAX} calls can be added at once, not ${callIds.length}.`,
  );
}
