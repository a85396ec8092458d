import { Injectable } from '@nestjs/common';
import { Store, type Sql } from '@app/clickhouse';
import { HeddleError } from '@app/errors';
import { KEY_PREFIX, Redis } from '@app/redis';
import { millis, type Millis } from '@app/wire';
import { RewriteLock } from './rewrite-lock.js';
import { ShadowTables } from './shadow-tables.js';

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
export interface RebuildPlan<Name extends string, Filled> {
  readonly name: string;
  readonly tables: readonly Name[];
  /** Facts from this time on may reach the old tables only, and are projected again. */
  readonly since: Millis;
  /** Projects the whole log into tables whose names end in `suffix`. */
  readonly fill: (suffix: string, signal: AbortSignal) => Promise<Filled>;
  /** Selects `rows` and `sum` of a table whose name ends in `suffix`. */
  readonly checksum: (table: Name, suffix: string) => Sql;
  /** Projects the facts from this time on into the live tables, and resolves to their number. */
  readonly catchUp: (since: Millis) => Promise<number>;
}

type Recovery = Pick<RebuildPlan<string, unknown>, 'name' | 'tables' | 'catchUp'>;

export interface Rebuilt<Name extends string, Filled> {
  readonly filled: Filled;
  readonly caughtUp: number;
  readonly tables: readonly RebuiltTable<Name>[];
}

/** The log has fewer rows than the live table: part of the log may be lost, and the rebuild would lose it everywhere. */
class RebuildShrinksError extends HeddleError {
  readonly code = 'rebuild_shrinks';

  constructor({ table, before, after }: RebuiltTable) {
    super(
      `The log accounts for ${after.rows} rows of ${table}, which has ${before.rows}; nothing was changed. ` +
        'When the other rows should go, run the command with --allow-fewer-rows.',
    );
  }
}

/**
 * Rebuilds tables from the log while facts arrive. It fills shadow tables, exchanges them with the live ones, and then
 * projects the facts that arrived in the meantime. Before the first exchange it records that this last step is due; a
 * rebuild that dies before it is finished by `recover`.
 */
@Injectable()
export class ShadowRebuild {
  constructor(
    private readonly store: Store,
    private readonly redis: Redis,
    private readonly shadows: ShadowTables,
    private readonly lock: RewriteLock,
  ) {}

  /** Rejects with RewriteRunningError while another rebuild, erasure or expiry runs. */
  run<Name extends string, Filled>(
    plan: RebuildPlan<Name, Filled>,
    allowFewerRows = false,
  ): Promise<Rebuilt<Name, Filled>> {
    return this.lock.run(async (signal) => {
      await this.finish(plan);
      const suffix = await this.shadows.create(plan.tables);
      const filled = await plan.fill(suffix, signal);
      const tables = await this.compare(plan, suffix);
      const shrunk = tables.find(({ before, after }) => after.rows < before.rows);
      if (shrunk !== undefined && !allowFewerRows) {
        await this.shadows.drop(plan.tables);
        throw new RebuildShrinksError(shrunk);
      }
      await this.redis.set(dueKey(plan.name), plan.since);
      for (const table of plan.tables) {
        signal.throwIfAborted();
        await this.shadows.exchange(table, suffix);
      }
      return { filled, caughtUp: await this.finish(plan), tables };
    });
  }

  /** Finishes a rebuild that was interrupted after an exchange. Resolves to whether there was one. */
  async recover(plan: Recovery): Promise<boolean> {
    if ((await this.redis.exists(dueKey(plan.name))) === 0) return false;
    await this.lock.run(() => this.finish(plan));
    return true;
  }

  private async finish({ name, tables, catchUp }: Recovery): Promise<number> {
    const since = await this.redis.get(dueKey(name));
    const caughtUp = since === null ? 0 : await catchUp(millis(Number(since)));
    await this.shadows.drop(tables);
    await this.redis.del(dueKey(name));
    return caughtUp;
  }

  private async compare<Name extends string>(
    { tables, checksum }: Pick<RebuildPlan<Name, unknown>, 'tables' | 'checksum'>,
    suffix: string,
  ): Promise<RebuiltTable<Name>[]> {
    const compared: RebuiltTable<Name>[] = [];
    for (const table of tables) {
      const before = await this.checksum(checksum(table, ''));
      compared.push({ table, before, after: await this.checksum(checksum(table, suffix)) });
    }
    return compared;
  }

  private async checksum(query: Sql): Promise<Checksum> {
    const [row] = await this.store.rows<{ rows: number | string; sum: string }>(query);
    return { rows: Number(row?.rows ?? 0), sum: row?.sum ?? '0' };
  }
}

/** Present while a rebuild has exchanged tables and not yet projected newer facts: the time from which they count. */
const dueKey = (name: string): string => `${KEY_PREFIX}:rebuild:${name}`;
