import { bind, Lookup, sql, type Sql } from '@app/clickhouse';
import type { QueryExecutor } from '../query-executor.js';
import type { ReadContext } from '../read-context.js';
import type { CallThresholds } from './call-thresholds.js';

/** The subqueries of a request that select calls by another table, such as feedback. Equal ones are executed once. */
export class CallLookups {
  private readonly lookups = new Map<string, CallLookup>();

  /**
   * `query` selects one column, `call_id`. `quick`, which is tried first, is cheaper to plan: it also selects
   * `is_undecided`, and its calls are those of `query` unless that is true for any of them.
   */
  callsOf(query: Sql, quick?: Sql): Lookup {
    const name = JSON.stringify(query.render());
    const one = this.lookups.get(name) ?? { lookup: new Lookup('String', query), quick };
    this.lookups.set(name, one);
    return one.lookup;
  }

  /** Replaces every subquery with few enough ids by those ids. Resolves to whether all of them select few calls. */
  async resolve(
    executor: QueryExecutor,
    { ids, fewIds }: Pick<CallThresholds, 'ids' | 'fewIds'>,
    context: ReadContext,
  ): Promise<boolean> {
    let most = 0;
    for (const { lookup, quick } of this.lookups.values()) {
      const rows = quick ? await found(quick, ids, executor, context) : undefined;
      const isDecided = rows?.every(({ is_undecided }) => !is_undecided) ?? false;
      const calls = rows && isDecided ? rows : await found(lookup.query, ids, executor, context);
      most = Math.max(most, calls.length);
      if (calls.length <= ids) lookup.resolve(calls.map(({ call_id }) => call_id));
    }
    return this.lookups.size > 0 && most <= fewIds;
  }
}

interface CallLookup {
  readonly lookup: Lookup;
  readonly quick: Sql | undefined;
}

interface FoundCall {
  readonly call_id: string;
  readonly is_undecided?: number | boolean;
}

/** At most one more than `ids`. */
function found(query: Sql, ids: number, executor: QueryExecutor, context: ReadContext) {
  const limit = bind('UInt64', ids + 1);
  return executor.rows<FoundCall>(sql`SELECT DISTINCT * FROM (${query}) LIMIT ${limit}`, context);
}
