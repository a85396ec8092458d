import { currentSpan, type Span } from '@app/observability';
import type { Sql } from './sql.js';

/** The span of a statement of this process; undefined outside of a sampled trace. The caller must end it. */
export function statementSpan(name: string, parent = currentSpan()): Span | undefined {
  return parent?.child(name, 'client').set('db.system.name', 'clickhouse');
}

/** The text of a statement has parameters instead of values, so it has no data of users. */
export function querySpan(statement: Sql, parent = currentSpan()): Span | undefined {
  if (parent === undefined) return undefined;
  const { query } = statement.render();
  const [name = 'query'] = /^\w+/.exec(query.trimStart()) ?? [];
  return statementSpan(name.toUpperCase(), parent)?.set('db.query.text', query);
}

/** Records the error in the span, and returns it. */
export function failed<E>(span: Span | undefined, error: E): E {
  span?.fail(error);
  return error;
}
