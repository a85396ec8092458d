import { Body, Controller } from '@nestjs/common';
import { ApiExtraModels, ApiTags } from '@nestjs/swagger';
import { Caller, requireAccess, type Action, type Principal } from '@app/auth';
import {
  CostCreateEnvelope,
  CostCreateRecord,
  CostCreateRequest,
  CostCreateResponse,
  EmptyResponse,
  PurgeRequest,
} from '@app/contracts';
import { Operation } from '@app/http';
import { AuditTrail, RecordPublisher } from '@app/queue';
import { Clock } from '../clock.js';
import { uuidv7 } from '../ids.js';
import type { IngestContext } from '../objects/object-facts.js';
import { purgedIds } from '../purge-query.js';
import { recordOf } from '../record-body.js';
import { priceFacts, pricePurged } from './cost-facts.js';
import { PricesReader } from './prices.reader.js';

@ApiTags('costs')
@ApiExtraModels(CostCreateRecord)
@Controller('cost')
export class CostsController {
  constructor(
    private readonly records: RecordPublisher,
    private readonly prices: PricesReader,
    private readonly clock: Clock,
    private readonly audit: AuditTrail,
  ) {}

  @Operation('create', {
    summary: 'Set prices of models',
    body: CostCreateRequest,
    response: CostCreateResponse,
  })
  async create(@Body() body: Buffer, @Caller() caller: Principal): Promise<CostCreateResponse> {
    const { project_id, costs } = recordOf(CostCreateEnvelope, body, ['costs']);
    const receipt = this.receipt(caller, project_id, 'write');
    const facts = priceFacts(costs.bytes, receipt, () =>
      uuidv7(Math.floor(this.clock.now() / 1000)),
    );
    const prices = facts.map(({ data }) => [data.llmId, data.id]);
    await this.note('prices.set', receipt, { prices });
    await this.records.publish(facts);
    return { ids: facts.map(({ data }) => [data.llmId, data.id]) };
  }

  @Operation('purge', { summary: 'Remove prices', body: PurgeRequest, response: EmptyResponse })
  async purge(
    @Body() { project_id, query }: PurgeRequest,
    @Caller() caller: Principal,
  ): Promise<EmptyResponse> {
    const receipt = this.receipt(caller, project_id, 'delete');
    const keys = await this.prices.keysOf(project_id, purgedIds(query));
    await this.note('prices.purge', receipt, { ids: keys.map(({ id }) => id) });
    await this.records.publish(keys.map((key) => pricePurged(key, receipt)));
    return {};
  }

  private note(
    action: string,
    { userId, projectId }: IngestContext,
    detail: object,
  ): Promise<void> {
    return this.audit.record({ userId, action, projectId, detail });
  }

  private receipt(caller: Principal, projectId: string, action: Action): IngestContext {
    requireAccess(caller, action, [projectId]);
    return { projectId, userId: caller.user, receivedAt: this.clock.now() };
  }
}
