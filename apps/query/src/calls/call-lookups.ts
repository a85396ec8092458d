import { bind, Lookup, sql, type Sql } from '@app/clickhouse';
import type { QueryExecutor } from '../query-executor.js';
import type { ReadContext } from '../read-context.js';
import type { CallThresholds } from './call-thresholds.js';

/** The subqueries of a request that select calls by another table, such as feedback. Equal ones are executed once. */
export class CallLookups {
  private readonly lookups = new Map<string, Lookup>();

  /** `query` selects one column, `call_id`. */
  callsOf(query: Sql): Lookup {
    const name = JSON.stringify(query.render());
    const lookup = this.lookups.get(name) ?? new Lookup('String', query);
    this.lookups.set(name, lookup);
    return lookup;
  }

  /** Replaces every subquery with few enough ids by those ids. Resolves to whether all of them select few calls. */
  async resolve(
    executor: QueryExecutor,
    { ids, fewIds }: Pick<CallThresholds, 'ids' | 'fewIds'>,
    context: ReadContext,
  ): Promise<boolean> {
    let most = 0;
    for (const lookup of this.lookups.values()) {
      const limit = bind('UInt64', ids + 1);
      const rows = await executor.rows<{ call_id: string }>(
        sql`SELECT DISTINCT call_id FROM (${lookup.query}) LIMIT ${limit}`,
        context,
      );
      most = Math.max(most, rows.length);
      if (rows.length <= ids) lookup.resolve(rows.map(({ call_id }) => call_id));
    }
    return this.lookups.size > 0 && most <= fewIds;
  }
}
