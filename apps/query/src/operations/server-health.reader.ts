import { Injectable } from '@nestjs/common';
import type {
  LaneRecord,
  MaintenanceJobRecord,
  QueueMemoryRecord,
  RatesRecord,
  ServerHealthRecord,
  WorkerRecord,
} from '@app/contracts';
import {
  MaintenanceQueue,
  MaintenanceRuns,
  QueueLanes,
  QueueMemory,
  QueueRates,
  WorkerPresence,
} from '@app/queue';
import { queueError } from '@app/redis';
import { DiskHistory } from './disk-history.reader.js';

@Injectable()
export class QueueHealthReader {
  constructor(
    private readonly queues: QueueLanes,
    private readonly measured: QueueRates,
    private readonly memory: QueueMemory,
  ) {}

  async lanes(): Promise<LaneRecord[]> {
    const lanes = await this.queues.read();
    return lanes.map(({ oldestMs, ...lane }) => ({ ...lane, oldest_seconds: oldestMs / 1000 }));
  }

  rates(): RatesRecord {
    const { received, settled, overMs } = this.measured.read();
    return {
      received_per_second: rounded(received),
      stored_per_second: rounded(settled),
      over_seconds: Math.round(overMs / 1000),
    };
  }

  memoryUsage(): QueueMemoryRecord {
    const { usedBytes, refusedAtBytes } = this.memory.usage();
    return {
      used_bytes: usedBytes,
      refused_at_bytes: refusedAtBytes === undefined ? null : Math.round(refusedAtBytes),
      seconds_left: this.memory.secondsLeft(),
    };
  }
}

const rounded = (value: number) => Math.round(value * 10) / 10;

@Injectable()
export class MaintenanceReader {
  constructor(
    private readonly queue: MaintenanceQueue,
    private readonly runs: MaintenanceRuns,
  ) {}

  async read(): Promise<MaintenanceJobRecord[]> {
    const [jobs, last] = await Promise.all([this.queue.scheduled(), this.runs.last()]);
    return jobs.map(({ name, everyMs, nextAt }) => {
      const run = last.get(name);
      return {
        name,
        every_seconds: everyMs / 1000,
        last_started_at: run === undefined ? null : new Date(run.startedAt).toISOString(),
        last_took_seconds: run === undefined ? null : run.tookMs / 1000,
        last_error: run?.error ?? null,
        next_at: nextAt === undefined ? null : new Date(nextAt).toISOString(),
      };
    });
  }
}

/** The state of the whole server: queue, workers, disks and maintenance. */
@Injectable()
export class ServerHealthReader {
  constructor(
    private readonly queue: QueueHealthReader,
    private readonly disks: DiskHistory,
    private readonly workers: WorkerPresence,
    private readonly maintenance: MaintenanceReader,
  ) {}

  async read(): Promise<ServerHealthRecord> {
    try {
      return await this.readAll();
    } catch (error) {
      throw queueError(error);
    }
  }

  private async readAll(): Promise<ServerHealthRecord> {
    const [lanes, running, disks, maintenance] = await Promise.all([
      this.queue.lanes(),
      this.workers.running(),
      this.disks.read(),
      this.maintenance.read(),
    ]);
    const workers = running.map(({ id, host, version, startedAt }): WorkerRecord => ({
      ...{ id, host, version },
      started_at: new Date(startedAt).toISOString(),
    }));
    const rates = this.queue.rates();
    return { lanes, rates, workers, disks, queue_memory: this.queue.memoryUsage(), maintenance };
  }
}
