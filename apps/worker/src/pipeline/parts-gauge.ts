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
import type { Logger } from '@app/observability';
import { LOGGER } from '../tokens.js';

const SAMPLE_EVERY_MS = 5000;
/** ClickHouse begins to delay inserts at a thousand parts in a partition. */
const MANY_PARTS = 150;
const SLOWEST = 16;

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
      const [row] = await this.store.rows<{ most: number | string }>(
        mostParts(this.store.topology),
      );
      const isCrowded = Number(row?.most ?? 0) > MANY_PARTS;
      this.slowdown = isCrowded
        ? Math.min(this.slowdown * 2, SLOWEST)
        : Math.max(this.slowdown / 2, 1);
    } catch (error) {
      this.logger.debug('The parts could not be counted.', { error: String(error) });
    }
  }
}
