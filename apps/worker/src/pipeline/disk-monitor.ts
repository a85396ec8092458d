import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { raw, sql, Store, systemTable, type Sql, type Topology } from '@app/clickhouse';
import type { Logger } from '@app/observability';
import { DiskSpace, type Disk } from '@app/redis';
import { LOGGER } from '../tokens.js';

const SAMPLE_EVERY_MS = 2000;

interface DiskRow {
  readonly node: string;
  readonly free: number | string;
  readonly total: number | string;
}

/** The disk of each node that has the most space. The tables have the default policy, and ClickHouse chooses a disk with space. */
function freestDisks(topology: Topology): Sql {
  const disks = systemTable('disks', topology);
  return sql`SELECT hostName() AS node, max(free_space) AS free, argMax(total_space, free_space) AS total
FROM ${raw(disks)}
WHERE name GLOBAL IN (SELECT arrayJoin(disks) FROM system.storage_policies WHERE policy_name = 'default')
GROUP BY node`;
}

/**
 * Reports the disks of ClickHouse to ingest, which does not connect to ClickHouse to accept calls. A timer in every worker
 * and not a maintenance job: the report expires within seconds, and one stuck worker must not stop it.
 */
@Injectable()
export class DiskMonitor implements OnApplicationBootstrap, OnModuleDestroy {
  private timer: NodeJS.Timeout | undefined;
  private isBusy = false;

  constructor(
    private readonly store: Store,
    private readonly disks: DiskSpace,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.sample(), SAMPLE_EVERY_MS).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  private async sample(): Promise<void> {
    if (this.isBusy) return;
    this.isBusy = true;
    try {
      const rows = await this.store.rows<DiskRow>(freestDisks(this.store.topology));
      await this.disks.report(rows.map(diskOf));
    } catch (error) {
      this.logger.debug('The disks of ClickHouse could not be read.', { error: String(error) });
    } finally {
      this.isBusy = false;
    }
  }
}

const diskOf = ({ node, free, total }: DiskRow): Disk => ({
  name: `ClickHouse ${node}`,
  freeBytes: Number(free),
  totalBytes: Number(total),
});
