import { Injectable } from '@nestjs/common';
import { bind, sql, Store, type Sql } from '@app/clickhouse';

interface Link {
  readonly id: string;
  readonly parent_id: string;
}

/** Finds all descendants of calls. A child has the trace of its parent. */
@Injectable()
export class SubtreeReader {
  constructor(private readonly store: Store) {}

  /** The requested calls that exist, and all their descendants. */
  async callsUnder(projectId: string, ids: readonly string[]): Promise<Set<string>> {
    if (ids.length === 0) return new Set();
    const links = await this.store.rows<Link>(tracesOf(projectId, ids));
    return reachable(ids, links);
  }
}

/** Every call in the traces of the requested calls. */
function tracesOf(projectId: string, ids: readonly string[]): Sql {
  const project = bind('String', projectId);
  return sql`SELECT id, parent_id FROM calls FINAL
WHERE project_id = ${project}
  AND trace_id IN (SELECT trace_id FROM calls WHERE project_id = ${project} AND id IN ${bind('Array(String)', ids)})`;
}

export function reachable(ids: readonly string[], links: readonly Link[]): Set<string> {
  const children = new Map<string, string[]>();
  const known = new Set<string>();
  for (const { id, parent_id } of links) {
    known.add(id);
    const siblings = children.get(parent_id);
    if (siblings === undefined) children.set(parent_id, [id]);
    else siblings.push(id);
  }
  const found = new Set<string>();
  const open = ids.filter((id) => known.has(id));
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (found.has(id)) continue;
    found.add(id);
    for (const child of children.get(id) ?? []) open.push(child);
  }
  return found;
}
