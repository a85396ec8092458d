import type { ClickHouseConfig } from '@app/config';
import { topologyOf, type Topology } from './render-migration.js';
import { raw, sql, type Sql } from './sql.js';
import type { Store } from './store.js';
import { storeError } from './store-errors.js';

/** Deletes rows permanently. Every call resolves when all replicas have finished. Only erasure and retention use it. */
export class Removal {
  private readonly topology: Topology;

  constructor(
    private readonly store: Store,
    { cluster }: Pick<ClickHouseConfig, 'cluster'>,
  ) {
    this.topology = topologyOf(cluster);
  }

  async remove(table: string, where: Sql): Promise<void> {
    await this.run(sql`ALTER TABLE ${this.target(table)} DELETE WHERE ${where}`);
  }

  async change(table: string, assignment: Sql, where: Sql): Promise<void> {
    await this.run(sql`ALTER TABLE ${this.target(table)} UPDATE ${assignment} WHERE ${where}`);
  }

  /** Drops a whole partition by its id. */
  async dropPartition(table: string, id: string): Promise<void> {
    await this.run(
      sql`ALTER TABLE ${this.target(table)} DROP PARTITION ID ${raw(`'${id.replaceAll(/\W/g, '')}'`)}`,
    );
  }

  private target(table: string): Sql {
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
