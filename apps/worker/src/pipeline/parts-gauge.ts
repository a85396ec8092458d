import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import {
  bind,
  raw,
  sql,
  Store,
  storedTable,
  systemTable,
  type Sql,
  type Topology,
} from '@app/clickhouse';
import { gauge, type Logger } from '@app/observability';
import { LOGGER } from '../tokens.js';

const SAMPLE_EVERY_MS = 5000;
/** ClickHouse begins to delay inserts at a thousand parts in a partition. */
const MANY_PARTS = 150;
const SLOWEST = 16;

const PARTS = gauge(
  'heddle_clickhouse_partition_parts',
  'Parts of the partition that has most, of the tables of calls; ClickHouse delays inserts at 1000.',
);
const MERGES = gauge(
  'heddle_clickhouse_merges_running',
  'Merges that ClickHouse runs, on all nodes.',
);
const SLOWDOWN = gauge(
  'heddle_worker_flush_slowdown',
  'Factor by which this worker flushes less often, because merges lag behind.',
);

/** The merges of all tables. */
function runningMerges(topology: Topology): Sql {
  const metrics = systemTable('metrics', topology);
  return sql`SELECT sum(value) AS merges FROM ${raw(metrics)} WHERE metric = 'Merge'`;
}

/** The largest number of parts that a partition has on any node. */
function mostParts(topology: Topology): Sql {
  const parts = systemTable('parts', topology);
  const tables = ['calls', 'call_events', 'receipts'].map((name) => storedTable(name, topology));
  return sql`SELECT max(parts) AS most FROM (
  SELECT count() AS parts FROM ${raw(parts)}
  WHERE active AND database = currentDatabase() AND table IN ${bind('Array(String)', tables)}
  GROUP BY hostName(), table, partition
)`;
}

/**
 * Slows the flushes of this worker down while merges lag behind. A timer in every worker and not a maintenance job: each
 * worker needs the value for its own flushes, also while Redis is unavailable or another worker is stuck, and the query
 * reads one system table.
 */
@Injectable()
export class PartsGauge implements OnApplicationBootstrap, OnModuleDestroy {
  /** The factor of the flush interval. It doubles with every sample that finds too many parts, and halves otherwise. */
  slowdown = 1;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly store: Store,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.sample(), SAMPLE_EVERY_MS).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  private async sample(): Promise<void> {
    try {
      const most = await this.number(mostParts(this.store.topology));
      this.slowdown =
        most > MANY_PARTS ? Math.min(this.slowdown * 2, SLOWEST) : Math.max(this.slowdown / 2, 1);
      PARTS.set(most);
      SLOWDOWN.set(this.slowdown);
      MERGES.set(await this.number(runningMerges(this.store.topology)));
    } catch (error) {
      this.logger.debug('The parts could not be counted.', { error: String(error) });
    }
  }
  private async number(query: Sql): Promise<number> {
    const [row] = await this.store.rows<Readonly<Record<string, number | string>>>(query);
    return Number(Object.values(row ?? {})[0] ?? 0);
  }
}
