import { Inject, Injectable } from '@nestjs/common';
import type { QueryConfig } from '@app/config';
import { ProjectRates, ConcurrencyLimiter } from '@app/redis';
import type { ReadContext } from './read-context.js';
import { QUERY_CONFIG } from './tokens.js';

/** How much may be asked at the same time, by one key and of one project. */
@Injectable()
export class ReadLimits {
  /** A reading of several projects holds one slot of its key. */
  private readonly counted = new WeakSet<ReadContext>();

  constructor(
    private readonly slots: ConcurrencyLimiter,
    private readonly rates: ProjectRates,
    @Inject(QUERY_CONFIG) private readonly config: QueryConfig,
  ) {}

  /** Throws RateLimitedError; what was taken is given back when the reading ends. */
  async begin(context: ReadContext, projectId: string): Promise<void> {
    await this.rates.take(projectId);
    const { keyMaxConcurrentQueries, projectMaxConcurrentQueries } = this.config;
    const ofKey = { of: 'key', who: context.principal.keyId, max: keyMaxConcurrentQueries };
    const ofProject = { of: 'project', who: projectId, max: projectMaxConcurrentQueries };
    const wanted = this.counted.has(context) ? [ofProject] : [ofKey, ofProject];
    const giveBack = await this.slots.acquire(wanted);
    this.counted.add(context);
    context.atEnd(giveBack);
  }
}
