import { Injectable } from '@nestjs/common';
import type { WhatIfPrice, WhatIfRequest } from '@app/contracts';
import { ProblemError } from '@app/http';
import {
  PriceList,
  priceOf,
  pricesFor,
  whatIf,
  whatIfOf,
  type Price,
  type StoredPrice,
  type WhatIf,
  type WhatIfRow,
} from '@app/pricing';
import {
  decimalText,
  micros,
  microsOf,
  millis,
  millisOf,
  nowMillis,
  parseTimestamp,
  roundedDecimal,
  type Millis,
} from '@app/wire';
import { RetentionReader } from '../projects/retention.reader.js';
import { QueryExecutor } from '../query-executor.js';
import type { ReadContext } from '../read-context.js';

const YEAR_2000 = Date.UTC(2000, 0, 1);
const YEAR_2200 = Date.UTC(2200, 0, 1) * 1000;

/** Computes what usage would cost with other prices. Nothing is written. */
@Injectable()
export class WhatIfReader {
  constructor(
    private readonly executor: QueryExecutor,
    private readonly retention: RetentionReader,
  ) {}

  async read(request: WhatIfRequest, context: ReadContext, now = nowMillis()): Promise<WhatIf> {
    const { project_id: projectId, start, end } = request;
    const stored = await this.stored(request, context);
    const removed = new Set(request.without ?? []);
    const isRemoved = ({ id, level }: Price) => level === 'project' && removed.has(id);
    const proposed = (request.prices ?? []).map((price, i) => priceIn(price, projectId, now, i));
    const models = [
      ...new Set([
        ...proposed.map(({ llmId }) => llmId),
        ...stored.filter(isRemoved).map(({ llmId }) => llmId),
      ]),
    ].sort();
    if (models.length === 0) return { models: [], totals: [] };
    const from = start ? millisOf(parseTimestamp(start)!) : YEAR_2000;
    const to = end ? millisOf(parseTimestamp(end)!) : now + 1;
    if (to < from)
      throw new ProblemError('invalid_request', `end (${end}) is before start (${start}).`);
    const time = {
      ...{ projectId, from: millis(Math.max(from, YEAR_2000)), to: millis(to) },
      since: await this.retention.cutoff(projectId, now),
    };
    const ofModels = stored.filter(({ llmId }) => models.includes(llmId));
    const kept = ofModels.filter((price) => !isRemoved(price));
    const lists = [new PriceList(ofModels), new PriceList([...kept, ...proposed])] as const;
    const rows = await this.executor.rows<WhatIfRow>(whatIf(time, models, lists), context);
    return whatIfOf(rows, models);
  }

  /** The prices of the models that are named, and all of the project where ids are. */
  private async stored(
    { project_id, prices, without }: WhatIfRequest,
    context: ReadContext,
  ): Promise<Price[]> {
    const named = without?.length ? undefined : (prices ?? []).map(({ llm_id }) => llm_id);
    const rows = await this.executor.rows<StoredPrice>(pricesFor(project_id, named), context);
    return rows.map(priceOf);
  }
}

/** A proposed price as it would be stored. Of several with one date, the last one wins. */
function priceIn(price: WhatIfPrice, projectId: string, now: Millis, nth: number): Price {
  const cost = (value: number | null | undefined) => roundedDecimal(decimalText(value ?? 0));
  const effective = price.effective_date ? parseTimestamp(price.effective_date)! : microsOf(now);
  if (effective < 0 || effective >= YEAR_2200)
    throw new ProblemError(
      'invalid_request',
      `prices.${nth}.effective_date must be between 1970 and 2200, not ${price.effective_date}.`,
    );
  return {
    id: `proposed-${nth}`,
    level: 'project',
    levelId: projectId,
    llmId: price.llm_id,
    providerId: 'default',
    effectiveDate: effective,
    prompt: cost(price.prompt_token_cost),
    completion: cost(price.completion_token_cost),
    cacheRead: cost(price.cache_read_input_token_cost),
    cacheWrite: cost(price.cache_creation_input_token_cost),
    promptUnit: price.prompt_token_cost_unit || 'USD',
    completionUnit: price.completion_token_cost_unit || 'USD',
    createdBy: '',
    createdAt: micros(microsOf(now) + nth),
  };
}
