import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  bind,
  distributedEngine,
  OldParts,
  onEveryNode,
  raw,
  sql,
  Store,
  storedTable,
  StoreUnavailableError,
  systemTable,
} from '@app/clickhouse';

const SUFFIX = '_rebuild_';
const NAME = `^(.+)${SUFFIX}[0-9a-f]{8}(_local)?$`;

/** Creates and exchanges the tables that a rebuild fills. On a cluster every statement runs on every node. */
@Injectable()
export class ShadowTables {
  constructor(private readonly store: Store) {}

  /**
   * Creates an empty shadow of each table and resolves to the suffix of their names. The suffix is new every time: when a
   * later owner of the lock has dropped these tables, the statements of an earlier one fail.
   */
  async create(tables: readonly string[]): Promise<string> {
    // A shadow has the settings of its table, also those of an erasure that was killed.
    await new OldParts(this.store).resetSettings();
    const suffix = SUFFIX + randomBytes(4).toString('hex');
    const { topology } = this.store;
    for (const table of tables) {
      const shadow = `${table}${suffix}`;
      const stored = storedTable(shadow, topology);
      await this.run(
        `CREATE TABLE ${stored}${onEveryNode(topology)} AS ${storedTable(table, topology)}`,
      );
      await this.requireDefinition(stored);
      if (topology.kind === 'single') continue;
      const engine = distributedEngine(table, stored, topology);
      await this.run(
        `CREATE TABLE ${shadow}${onEveryNode(topology)} AS ${stored} ENGINE = ${engine}`,
      );
    }
    return suffix;
  }

  /** Puts the shadow of the table in its place. On a cluster, on every node: it rejects before when one is unavailable. */
  async exchange(table: string, suffix: string): Promise<void> {
    const { topology } = this.store;
    const [live, shadow] = [table, `${table}${suffix}`].map((name) => storedTable(name, topology));
    await this.requireAllNodes();
    await this.run(`EXCHANGE TABLES ${live} AND ${shadow}${onEveryNode(topology)}`);
  }

  /** Drops every shadow of these tables, also those of a rebuild that was killed. */
  async drop(tables: readonly string[]): Promise<void> {
    const names = new Set(await this.names());
    const { topology } = this.store;
    for (const name of names) {
      if (!tables.includes(new RegExp(NAME).exec(name)?.[1] ?? '')) continue;
      await this.run(`DROP TABLE IF EXISTS ${name}${onEveryNode(topology)} SYNC`);
    }
  }

  private async names(): Promise<string[]> {
    const { topology } = this.store;
    const from = systemTable('tables', topology);
    const rows = await this.store.rows<{ name: string }>(
      sql`SELECT name FROM ${raw(from)} WHERE database = currentDatabase() AND match(name, ${bind('String', NAME)})`,
    );
    return rows.map(({ name }) => name);
  }

  /** A disk that became full meanwhile leaves a definition empty, and an exchange would give it to the live table. */
  private async requireDefinition(table: string): Promise<void> {
    const tables = systemTable('tables', this.store.topology);
    const nodes = await this.store.rows<{ node: string }>(
      sql`SELECT hostName() AS node FROM ${raw(tables)}
WHERE database = currentDatabase() AND name = ${bind('String', table)} AND create_table_query = ''`,
    );
    if (nodes.length === 0) return;
    const names = nodes.map(({ node }) => node).join(', ');
    throw new StoreUnavailableError(
      `ClickHouse (${names}) has not stored the definition of ${table}; its disk is full.`,
    );
  }

  private async requireAllNodes(): Promise<void> {
    const { topology } = this.store;
    if (topology.kind === 'single') return;
    await this.store.rows(sql`SELECT count() FROM ${raw(systemTable('one', topology))}`);
  }

  private run(statement: string): Promise<void> {
    return this.store.runDdl(sql`${raw(statement)}`);
  }
}
