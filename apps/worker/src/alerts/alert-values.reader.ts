import { Injectable } from '@nestjs/common';
import type { AlertRule, Reading } from '@app/alerts';
import { bind, sql, Store } from '@app/clickhouse';
import {
  PricedSql,
  PriceList,
  priceOf,
  pricesOfUsed,
  projectModels,
  unitsOf,
  type ProjectTime,
  type StoredPrice,
} from '@app/pricing';
import { micros, microsOf, millis, type Micros, type Millis } from '@app/wire';
import { callsOfTime, costOfTime, openDeadLetters } from './alert-values.sql.js';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const CURRENCY = 'USD';
/** A rule must never compete with the reads of clients. */
const EFFORT = { max_threads: 1, max_execution_time: 20, max_memory_usage: '1000000000' } as const;

interface CallCounts {
  readonly calls: string;
  readonly errors: string;
  readonly latency: string;
}

/** Reads the value that a rule watches, from the data that the pages of costs and statistics show. */
@Injectable()
export class AlertValuesReader {
  constructor(private readonly store: Store) {}

  async read(projectId: string, rule: AlertRule, now: Millis): Promise<Reading> {
    switch (rule.kind) {
      case 'cost':
        return compared(rule, await this.cost(await this.dayOf(projectId, now)));
      case 'dead_letters':
        return compared(rule, await this.value(openDeadLetters(projectId)));
      case 'error_rate':
      case 'latency':
      case 'no_data':
        return readingOfCalls(rule, await this.calls(projectId, rule, now));
    }
  }

  private async cost(time: ProjectTime): Promise<string> {
    const prices = await this.store.rows<StoredPrice>(
      pricesOfUsed(time.projectId, projectModels(time)),
      EFFORT,
    );
    const priced = new PricedSql(new PriceList(prices.map(priceOf)));
    return this.value(costOfTime(time, priced, CURRENCY));
  }

  private async value(query: ReturnType<typeof openDeadLetters>): Promise<string> {
    const [row] = await this.store.rows<{ value: string }>(query, EFFORT);
    return row!.value;
  }

  private async calls(projectId: string, rule: AlertRule, now: Millis): Promise<CallCounts> {
    const from = millis(now - (rule.windowMinutes ?? 0) * MINUTE_MS);
    const time = { projectId, from, to: now, since: await this.cutoff(projectId, now) };
    const [row] = await this.store.rows<CallCounts>(callsOfTime(time, rule), EFFORT);
    return row!;
  }

  /** The current day, UTC. */
  private async dayOf(projectId: string, now: Millis): Promise<ProjectTime> {
    const from = millis(Math.floor(now / DAY_MS) * DAY_MS);
    return { projectId, from, to: millis(now + 1), since: await this.cutoff(projectId, now) };
  }

  /** What is older is past its retention. */
  private async cutoff(projectId: string, now: Millis): Promise<Micros | undefined> {
    const [row] = await this.store.rows<{ days: number }>(
      sql`SELECT retention_days AS days FROM projects FINAL WHERE project_id = ${bind('String', projectId)}`,
      EFFORT,
    );
    return row?.days ? micros(microsOf(now) - row.days * DAY_MS * 1000) : undefined;
  }
}

function readingOfCalls(rule: AlertRule, { calls, errors, latency }: CallCounts): Reading {
  if (rule.kind === 'no_data') {
    return { state: calls === '0' ? 'firing' : 'ok', value: calls, message: null };
  }
  if (calls === '0') return noData('No call started in the window.');
  if (rule.kind === 'latency') {
    if (latency === 'nan') return noData('No call of the window has ended.');
    return compared(rule, latency);
  }
  return compared(rule, percentOf(Number(errors), Number(calls)));
}

/** A percentage with at most six decimals. */
const percentOf = (part: number, whole: number): string =>
  ((part * 100) / whole).toFixed(6).replace(/\.?0+$/, '');

const noData = (message: string): Reading => ({ state: 'no_data', value: null, message });

/** Costs are decimals and compared exactly. */
function compared({ kind, threshold }: AlertRule, value: string): Reading {
  const limit = threshold ?? '0';
  const isAbove = kind === 'cost' ? unitsOf(value) > unitsOf(limit) : Number(value) > Number(limit);
  return { state: isAbove ? 'firing' : 'ok', value, message: null };
}
