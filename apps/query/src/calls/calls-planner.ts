import { Inject, Injectable } from '@nestjs/common';
import type { CallsQueryRequest, CallsQueryStatsRequest } from '@app/contracts';
import { requireFewPayloads } from '@app/query-language';
import { RetentionReader } from '../projects/retention.reader.js';
import { QueryExecutor } from '../query-executor.js';
import type { ReadContext } from '../read-context.js';
import { CallExpansion } from './call-expansion.js';
import { CallFieldsReader } from './call-fields.reader.js';
import { CALL_THRESHOLDS, type CallThresholds } from './call-thresholds.js';
import type { CallsQuery } from './calls-query.js';
import { undecidedCalls } from './calls.sql.js';

type Request = CallsQueryRequest | CallsQueryStatsRequest;

/** Turns a request for calls into the query that is executed. */
@Injectable()
export class CallsPlanner {
  constructor(
    private readonly executor: QueryExecutor,
    private readonly retention: RetentionReader,
    private readonly fields: CallFieldsReader,
    private readonly expansion: CallExpansion,
    @Inject(CALL_THRESHOLDS) private readonly thresholds: CallThresholds,
  ) {}

  /**
   * ClickHouse takes longer to plan a condition on payloads than to execute most queries. So this first queries whether
   * any call is undecided by its leaves; when none is, the query runs without payloads. Throws ExprError for a query that
   * has to read too many payloads.
   */
  async plan(request: Request, context: ReadContext): Promise<CallsQuery> {
    const query = await this.compile(request, context);
    const { leafOnly, projectId } = query;
    if (leafOnly === undefined) return boundedQuery(query);
    const undecided = await this.executor.rows(undecidedCalls(projectId, leafOnly), context);
    if (undecided.length > 0) return boundedQuery(query);
    const { where, isNarrow, isIndexed, order } = leafOnly;
    const byLeaves = { where, prefilter: where, isNarrow, isIndexed, order };
    return { ...query, ...byLeaves, readsPayloads: false };
  }

  private async compile(request: Request, context: ReadContext): Promise<CallsQuery> {
    const since = await this.retention.cutoff(request.project_id);
    const fields = await this.fields.fieldsOf(request, context);
    const query = await this.expansion.compileQuery({ ...request, since }, fields, context);
    const isFew = await fields.lookups.resolve(this.executor, this.thresholds, context);
    return isFew && query.namesFeedback ? { ...query, isNarrow: true } : query;
  }
}

function boundedQuery(query: CallsQuery): CallsQuery {
  requireFewPayloads(query.payloadUses);
  return query;
}
