import { PartSettings } from './part-settings.js';
import { raw, sql, type Sql } from './sql.js';
import type { Store } from './store.js';
import { onEveryNode, storedTable } from './topology.js';

/** Deletes rows permanently. Every call resolves when all replicas have finished. Only erasure and retention use it. */
export class Removal {
  private readonly settings: PartSettings;

  constructor(private readonly store: Store) {
    this.settings = new PartSettings(store);
  }

  async remove(table: string, where: Sql): Promise<void> {
    await this.keepReplacedParts(table);
    await this.run(sql`ALTER TABLE ${this.target(table)} DELETE WHERE ${where}`);
  }

  async change(table: string, assignment: Sql, where: Sql): Promise<void> {
    await this.keepReplacedParts(table);
    await this.run(sql`ALTER TABLE ${this.target(table)} UPDATE ${assignment} WHERE ${where}`);
  }

  /** Drops a whole partition by its id. */
  async dropPartition(table: string, id: string): Promise<void> {
    await this.run(
      sql`ALTER TABLE ${this.target(table)} DROP PARTITION ID ${raw(`'${id.replaceAll(/\W/g, '')}'`)}`,
    );
  }

  /** A removal of old parts that was killed may have left settings with which a start could not use what is replaced now. */
  private async keepReplacedParts(table: string): Promise<void> {
    const target = storedTable(table, this.store.topology);
    const changed = await this.settings.changedTables();
    if (changed.includes(target)) await this.settings.reset([target]);
  }

  private target(table: string): Sql {
    const { topology } = this.store;
    return raw(storedTable(table, topology) + onEveryNode(topology));
  }

  private async run(statement: Sql): Promise<void> {
    await this.store.runDdl(statement, { mutations_sync: '2' });
  }
}
