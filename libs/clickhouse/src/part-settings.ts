import { bind, raw, sql, type Sql } from './sql.js';
import type { Store } from './store.js';
import { onEveryNode, systemTable } from './topology.js';

/** No part is as small, so no merge begins. Mutations do. */
const NO_MERGES =
  'max_bytes_to_merge_at_max_space_in_pool = 1, max_bytes_to_merge_at_min_space_in_pool = 1';
const NAMES =
  'max_bytes_to_merge_at_max_space_in_pool, max_bytes_to_merge_at_min_space_in_pool, old_parts_lifetime, min_rows_to_fsync_after_merge';
/** Earlier versions changed the second alone. */
const CHANGED = '(max_bytes_to_merge_at_max_space_in_pool|old_parts_lifetime) = 1\\b';

/**
 * Settings that tables have while their old parts are removed. They are part of the definitions of tables, so that a
 * ClickHouse that is killed in between has both or none of them when it starts: no merges, and a short life of old parts.
 */
export class PartSettings {
  constructor(private readonly store: Store) {}

  async stopMerges(tables: readonly string[]): Promise<void> {
    await this.alter(tables, `MODIFY SETTING ${NO_MERGES}`);
  }

  async removeAtOnce(tables: readonly string[]): Promise<void> {
    await this.alter(tables, `MODIFY SETTING ${NO_MERGES}, old_parts_lifetime = 1`);
  }

  async reset(tables: readonly string[]): Promise<void> {
    await this.alter(tables, `RESET SETTING ${NAMES}`);
  }

  async changedTables(): Promise<readonly string[]> {
    const tables = raw(systemTable('tables', this.store.topology));
    const rows = await this.store.rows<{ name: string }>(
      sql`SELECT DISTINCT name FROM ${tables}
WHERE database = currentDatabase() AND match(engine_full, ${bind('String', CHANGED)}) ORDER BY name`,
    );
    return rows.map(({ name }) => name);
  }

  private async alter(tables: readonly string[], change: string): Promise<void> {
    // A statement on a cluster takes up to a second, most of which is spent waiting for the nodes. All have ended when this
    // rejects, so that none follows a reset.
    const results = await Promise.allSettled(
      tables.map((table) =>
        this.store.runDdl(sql`ALTER TABLE ${raw(table)}${this.everyNode} ${raw(change)}`),
      ),
    );
    const failed = results.find((result) => result.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  private get everyNode(): Sql {
    return raw(onEveryNode(this.store.topology));
  }
}
