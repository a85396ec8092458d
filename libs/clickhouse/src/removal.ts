import type { ClickHouseConfig } from '@app/config';
import { topologyOf, type Topology } from './render-migration.js';
import { raw, sql, type Sql } from './sql.js';
import type { Store } from './store.js';
import { storeError } from './store-errors.js';

/** Takes rows away for good, on every replica, and resolves when they are gone. For erasure and retention only. */
export class Removal {
  private readonly topology: Topology;

  constructor(
    private readonly store: Store,
    { cluster }: Pick<ClickHouseConfig, 'cluster'>,
  ) {
    this.topology = topologyOf(cluster);
  }

  async remove(table: string, where: Sql): Promise<void> {
    await this.run(sql`ALTER TABLE ${this.place(table)} DELETE WHERE ${where}`);
  }

  async change(table: string, assignment: Sql, where: Sql): Promise<void> {
    await this.run(sql`ALTER TABLE ${this.place(table)} UPDATE ${assignment} WHERE ${where}`);
  }

  /** All rows of a partition at once, by its id. */
  async dropPartition(table: string, id: string): Promise<void> {
    await this.run(
      sql`ALTER TABLE ${this.place(table)} DROP PARTITION ID ${raw(`'${id.replaceAll(/\W/g, '')}'`)}`,
    );
  }

  private place(table: string): Sql {
    if (this.topology.kind === 'single') return raw(table);
    return raw(`${table}_local ON CLUSTER '${this.topology.name}'`);
  }

  private async run(statement: Sql): Promise<void> {
    try {
      await this.store.client.command({
        ...statement.render(),
        clickhouse_settings: { mutations_sync: '2' },
      });
    } catch (error) {
      throw storeError(error);
    }
  }
}
