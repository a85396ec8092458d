import { Injectable } from '@nestjs/common';
import type { ProjectsQueryRequest } from '@app/contracts';
import {
  costOf,
  decimalOf,
  PriceList,
  priceOf,
  totalOf,
  type Price,
  type StoredPrice,
} from '@app/pricing';
import { micros, microsOf, nowMillis, printTimestamp, type Micros } from '@app/wire';
import { QueryExecutor } from '../query-executor.js';
import type { ReadContext } from '../read-context.js';
import {
  lastCalls,
  pricesOfProjects,
  projectIds,
  recentCalls,
  retentions,
  usageOfProjects,
} from './project-list.sql.js';

const LIMIT = 100;
const LIMIT_MAX = 1000;
const DAY_MICROS = 86_400_000_000;
/** Amounts in other currencies cannot be added to these. */
const UNIT = 'USD';

interface CallsRow {
  readonly project_id: string;
  readonly calls: number | string;
  readonly errors: number | string;
  readonly last: number | string;
}

interface UsageRow {
  readonly project_id: string;
  readonly model: string;
  readonly segment: number | string;
  readonly uncached: number | string;
  readonly completion: number | string;
  readonly cache_read: number | string;
  readonly cache_write: number | string;
}

/** Lists projects. The number of statements does not depend on the number of projects. */
@Injectable()
export class ProjectListReader {
  constructor(private readonly executor: QueryExecutor) {}

  /** The response as JSON text, so that decimals keep all digits. */
  async list(
    request: ProjectsQueryRequest,
    context: ReadContext,
    now = nowMillis(),
  ): Promise<string> {
    const limit = Math.min(request.limit ?? LIMIT, LIMIT_MAX);
    const ids = await this.ids(request, limit, context);
    const page = ids.slice(0, limit);
    const projects = page.length === 0 ? [] : await this.projects(page, microsOf(now), context);
    const next = ids.length > limit ? (page.at(-1) ?? null) : null;
    return `{"projects":[${projects.join(',')}],"next":${JSON.stringify(next)}}`;
  }

  /** One more than the page, if there are more. */
  private async ids(
    { search, after }: ProjectsQueryRequest,
    limit: number,
    context: ReadContext,
  ): Promise<string[]> {
    const { scope } = context.principal;
    const query = projectIds({
      scope,
      search: search || undefined,
      after: after ?? undefined,
      limit: limit + 1,
    });
    const rows = await this.executor.rows<{ project_id: string }>(query, context);
    return rows.map(({ project_id }) => project_id);
  }

  private async projects(
    ids: readonly string[],
    now: Micros,
    context: ReadContext,
  ): Promise<string[]> {
    const since = micros(now - DAY_MICROS);
    const recent = await this.executor.rows<CallsRow>(recentCalls(ids, since), context);
    const byId = new Map(recent.map((row) => [row.project_id, row]));
    const older = await this.lastOfIdle(
      ids.filter((id) => !byId.has(id)),
      now,
      context,
    );
    const costs =
      byId.size === 0 ? new Map<string, bigint>() : await this.costs(ids, since, context);
    return ids.map((project_id) => {
      const row = byId.get(project_id);
      const last = row ? micros(Number(row.last)) : older.get(project_id);
      const cost = costs.get(project_id);
      const plain = JSON.stringify({
        project_id,
        calls: Number(row?.calls ?? 0),
        errors: Number(row?.errors ?? 0),
        last_call_at: last === undefined ? null : printTimestamp(last),
      });
      return `${plain.slice(0, -1)},"cost":${cost === undefined ? null : decimalOf(cost)}}`;
    });
  }

  /** When the last call of each project started, unless its retention has ended. */
  private async lastOfIdle(
    ids: readonly string[],
    now: Micros,
    context: ReadContext,
  ): Promise<ReadonlyMap<string, Micros>> {
    if (ids.length === 0) return new Map();
    const last = await this.executor.rows<Pick<CallsRow, 'project_id' | 'last'>>(
      lastCalls(ids),
      context,
    );
    const settings = await this.executor.rows<{ project_id: string; days: number }>(
      retentions(ids),
      context,
    );
    const days = new Map(settings.map((row) => [row.project_id, row.days]));
    const isRetained = ({ project_id, last: started }: (typeof last)[number]) =>
      Number(started) >= now - (days.get(project_id) ?? Infinity) * DAY_MICROS;
    return new Map(
      last.filter(isRetained).map((row) => [row.project_id, micros(Number(row.last))]),
    );
  }

  /** In units of 10^-18, at the prices in force when the calls started. A project without a price has no cost. */
  private async costs(
    ids: readonly string[],
    since: Micros,
    context: ReadContext,
  ): Promise<Map<string, bigint>> {
    const [own = [], defaults = []] = await Promise.all(
      pricesOfProjects(ids, since).map(async (query) =>
        (await this.executor.rows<StoredPrice>(query, context)).map(priceOf),
      ),
    );
    const changes = changesAfter(since, [...own, ...defaults]);
    const usage = await this.executor.rows<UsageRow>(usageOfProjects(ids, since, changes), context);
    const costs = new Map<string, bigint>();
    const lists = new Map<string, PriceList>();
    for (const row of usage) {
      const list = lists.get(row.project_id) ?? pricesOf(row.project_id, own, defaults);
      lists.set(row.project_id, list);
      const price = list.at(row.model, changes[Number(row.segment) - 1] ?? since);
      if (price === undefined || price.promptUnit !== UNIT) continue;
      costs.set(row.project_id, (costs.get(row.project_id) ?? 0n) + costAt(row, price));
    }
    return costs;
  }
}

/** The times since then at which a price changes, in order. Between two of them every price is constant. */
const changesAfter = (since: Micros, prices: readonly Price[]): Micros[] =>
  [...new Set(prices.map(({ effectiveDate }) => effectiveDate))]
    .filter((date) => date > since)
    .sort((a, b) => a - b);

const pricesOf = (projectId: string, own: readonly Price[], defaults: readonly Price[]) =>
  new PriceList([...own.filter(({ levelId }) => levelId === projectId), ...defaults]);

const costAt = (row: UsageRow, price: Price): bigint =>
  totalOf(
    costOf(
      {
        uncached: Number(row.uncached),
        completion: Number(row.completion),
        cacheRead: Number(row.cache_read),
        cacheWrite: Number(row.cache_write),
      },
      price,
    ),
  );
