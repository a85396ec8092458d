import { Inject, Injectable } from '@nestjs/common';
import { QueryExecutor } from '../query-executor.js';
import type { ReadContext } from '../read-context.js';
import { CALL_SIZES, type CallSizes } from './call-sizes.js';
import type { CallsQuery } from './calls-query.js';
import type { CallKey } from './calls.sql.js';
import { matchingCallsAt, matchingRows, newestRows } from './payload-search.sql.js';

export interface FoundCall extends CallKey {
  readonly version: number | string;
  readonly size_bytes: number | string;
}

/**
 * Calls by what stands in their payloads, each of which is read once. FINAL would read them to merge rows before it knew
 * which ones match; so rows are searched as they are, and then only the versions at the keys that were found are compared.
 * Equal versions are equal rows: a row that was found is the call when its version is the call's newest.
 */
@Injectable()
export class PayloadSearch {
  constructor(
    private readonly executor: QueryExecutor,
    @Inject(CALL_SIZES) private readonly sizes: Pick<CallSizes, 'found'>,
  ) {}

  /** All calls that match, in no order; undefined when they are too many. */
  async calls(query: CallsQuery, context: ReadContext): Promise<FoundCall[] | undefined> {
    const rows = await this.executor.rows<FoundCall>(
      matchingRows(query, this.sizes.found + 1),
      context,
    );
    if (rows.length > this.sizes.found) return undefined;
    if (rows.length === 0) return [];
    const matching = new Set(rows.map(versionOf));
    const current = await this.executor.rows<FoundCall>(newestRows(query.projectId, rows), context);
    const sure = current.filter((call) => matching.has(versionOf(call)));
    const unsure = current.filter((call) => !matching.has(versionOf(call)));
    if (unsure.length === 0) return sure;
    // Their newest row did not match, or was written after the search had passed by: the condition decides again.
    return [
      ...sure,
      ...(await this.executor.rows<FoundCall>(matchingCallsAt(query, unsure), context)),
    ];
  }
}

const versionOf = ({ started, id, version }: FoundCall) => `${started} ${version} ${id}`;
