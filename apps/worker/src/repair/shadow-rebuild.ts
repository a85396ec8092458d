import { Injectable } from '@nestjs/common';
import { Store, type Sql } from '@app/clickhouse';
import { HeddleError } from '@app/errors';
import { Redis, tryLock } from '@app/redis';

/** What the shadow tables are called until they take the place of the live ones. */
const SHADOW = '_rebuild';

export interface Checksum {
  readonly rows: number;
  readonly sum: string;
}

export interface RebuiltTable<Name extends string = string> {
  readonly table: Name;
  readonly before: Checksum;
  readonly after: Checksum;
}

/** Which tables are rebuilt, and from what. */
export interface RebuildPlan<Name extends string, Filled, CaughtUp> {
  /** One rebuild of this name runs at a time, over all processes. */
  readonly name: string;
  readonly tables: readonly Name[];
  /** Projects the whole log into tables whose names end in `suffix`. */
  readonly fill: (suffix: string) => Promise<Filled>;
  /** Selects `rows` and `sum` of a table whose name ends in `suffix`. */
  readonly checksum: (table: Name, suffix: string) => Sql;
  /** Projects again the facts that may have reached the old tables only. */
  readonly catchUp: () => Promise<CaughtUp>;
}

export interface Rebuilt<Name extends string, Filled, CaughtUp> {
  readonly filled: Filled;
  readonly caughtUp: CaughtUp;
  readonly tables: readonly RebuiltTable<Name>[];
}

export class RebuildRunningError extends HeddleError {
  readonly code = 'rebuild_running';

  constructor() {
    super('Another rebuild is running; start this one when it has ended.');
  }
}

/**
 * Rebuilds tables from the log while facts arrive. It fills shadow tables, exchanges them with the live ones, and then
 * projects the facts that arrived in the meantime.
 */
@Injectable()
export class ShadowRebuild {
  constructor(
    private readonly store: Store,
    private readonly redis: Redis,
  ) {}

  /** Rejects with RebuildRunningError while the same rebuild runs elsewhere: both would fill the same shadow tables. */
  async run<Name extends string, Filled, CaughtUp>(
    plan: RebuildPlan<Name, Filled, CaughtUp>,
  ): Promise<Rebuilt<Name, Filled, CaughtUp>> {
    const rebuilt = await tryLock(this.redis, `rebuild-${plan.name}`, () => this.rebuild(plan));
    if (rebuilt === undefined) throw new RebuildRunningError();
    return rebuilt;
  }

  private async rebuild<Name extends string, Filled, CaughtUp>(
    plan: RebuildPlan<Name, Filled, CaughtUp>,
  ): Promise<Rebuilt<Name, Filled, CaughtUp>> {
    const eachTable = async (command: (table: Name) => string) => {
      for (const table of plan.tables) await this.store.client.command({ query: command(table) });
    };
    await eachTable((table) => `DROP TABLE IF EXISTS ${table}${SHADOW}`);
    await eachTable((table) => `CREATE TABLE ${table}${SHADOW} AS ${table}`);
    const filled = await plan.fill(SHADOW);
    const tables = await this.compare(plan);
    await eachTable((table) => `EXCHANGE TABLES ${table} AND ${table}${SHADOW}`);
    const caughtUp = await plan.catchUp();
    await eachTable((table) => `DROP TABLE ${table}${SHADOW}`);
    return { filled, caughtUp, tables };
  }

  private async compare<Name extends string>({
    tables,
    checksum,
  }: Pick<RebuildPlan<Name, unknown, unknown>, 'tables' | 'checksum'>) {
    const compared: RebuiltTable<Name>[] = [];
    for (const table of tables) {
      const before = await this.checksum(checksum(table, ''));
      compared.push({ table, before, after: await this.checksum(checksum(table, SHADOW)) });
    }
    return compared;
  }

  private async checksum(query: Sql): Promise<Checksum> {
    const [row] = await this.store.rows<{ rows: number | string; sum: string }>(query);
    return { rows: Number(row?.rows ?? 0), sum: row?.sum ?? '0' };
  }
}
