import { Body, Controller } from '@nestjs/common';
import { ApiExtraModels, ApiTags } from '@nestjs/swagger';
import { actorOf, Caller, type Principal } from '@app/auth';
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
import { millisOf } from '@app/wire';
import { Clock } from '../clock.js';
import { uuidv7 } from '../ids.js';
import { purgedIds } from '../purge-query.js';
import { recordOf } from '../record-body.js';
import { authorizedContext } from '../record-facts.js';
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
    needs: 'change',
    summary: 'Set prices of models',
    body: CostCreateRequest,
    response: CostCreateResponse,
  })
  async create(@Body() body: Buffer, @Caller() caller: Principal): Promise<CostCreateResponse> {
    const { project_id, costs } = recordOf(CostCreateEnvelope, body, ['costs']);
    const context = authorizedContext(caller, 'change', project_id, this.clock);
    const newId = () => uuidv7(millisOf(this.clock.now()));
    const facts = priceFacts(costs.bytes, context, newId, body);
    const prices = facts.map(({ data }) => [data.llmId, data.id]);
    await this.recordAudit('prices.set', caller, project_id, { prices });
    await this.records.publish(facts);
    return { ids: facts.map(({ data }) => [data.llmId, data.id]) };
  }

  @Operation('purge', {
    needs: 'delete',
    summary: 'Remove prices',
    body: PurgeRequest,
    response: EmptyResponse,
  })
  async purge(
    @Body() { project_id, query }: PurgeRequest,
    @Caller() caller: Principal,
  ): Promise<EmptyResponse> {
    const context = authorizedContext(caller, 'delete', project_id, this.clock);
    const keys = await this.prices.keysOf(project_id, purgedIds(query));
    const ids = keys.map(({ id }) => id);
    await this.recordAudit('prices.purge', caller, project_id, { ids });
    await this.records.publish(keys.map((key) => pricePurged(key, context)));
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
