import { Inject, Injectable } from '@nestjs/common';
import { QueryExecutor } from '../query-executor.js';
import type { ReadContext } from '../read-context.js';
import { CALL_THRESHOLDS, type CallThresholds } from './call-thresholds.js';
import type { CallsQuery } from './calls-query.js';
import type { CallKey } from './calls.sql.js';
import { matchingCallsAt, matchingRows, newestRows } from './payload-search.sql.js';

export interface FoundCall extends CallKey {
  readonly version: number | string;
  readonly size_bytes: number | string;
}

/**
 * Finds calls by their payloads, and reads each payload once. FINAL would read payloads to merge rows before it could
 * tell which of them match. So this searches rows without FINAL, then compares versions at the keys it found. Rows of
 * equal version are equal, so a matching row is the call when its version is the call's newest.
 */
@Injectable()
export class PayloadSearch {
  constructor(
    private readonly executor: QueryExecutor,
    @Inject(CALL_THRESHOLDS) private readonly thresholds: Pick<CallThresholds, 'found'>,
  ) {}

  /** All matching calls, unordered; undefined when there are more than the threshold. */
  async find(query: CallsQuery, context: ReadContext): Promise<FoundCall[] | undefined> {
    const max = this.thresholds.found;
    const rows = await this.executor.rows<FoundCall>(matchingRows(query, max + 1), context);
    if (rows.length > max) return undefined;
    if (rows.length === 0) return [];
    const matching = new Set(rows.map(versionOf));
    const newest = await this.executor.rows<FoundCall>(newestRows(query.projectId, rows), context);
    const confirmed = newest.filter((call) => matching.has(versionOf(call)));
    const unconfirmed = newest.filter((call) => !matching.has(versionOf(call)));
    if (unconfirmed.length === 0) return confirmed;
    // Their newest row does not match, or was written during the search: ClickHouse evaluates the condition again.
    const again = matchingCallsAt(query, unconfirmed);
    return [...confirmed, ...(await this.executor.rows<FoundCall>(again, context))];
  }
}

const versionOf = ({ started, id, version }: FoundCall) => `${started} ${version} ${id}`;
