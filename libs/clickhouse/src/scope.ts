import { bind, sql, type Sql } from './sql.js';

/** The rows of a scope: `*` is every row, `acme` every project of an entity, `acme/demo` one project. */
export const withinScope = (scope: string): Sql | false =>
  scope !== '*' &&
  sql`(project_id = ${bind('String', scope)} OR startsWith(project_id, ${bind('String', `${scope}/`)}))`;
