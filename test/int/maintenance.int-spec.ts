import { setTimeout as sleep } from 'node:timers/promises';
import type { INestApplicationContext } from '@nestjs/common';
import { getQueueToken } from '@nestjs/bullmq';
import { NestFactory } from '@nestjs/core';
import type { Queue } from 'bullmq';
import { readConfig } from '@app/config';
import { createLogger } from '@app/observability';
import {
  MAINTENANCE_QUEUE,
  MaintenanceQueue,
  MaintenanceQueueModule,
  QueueModule,
} from '@app/queue';
import { Redis, RedisModule } from '@app/redis';
import {
  SCHEDULED_JOBS,
  type ScheduledJob,
} from '../../apps/worker/src/maintenance/maintenance-jobs.js';
import { MaintenanceProcessor } from '../../apps/worker/src/maintenance/maintenance.processor.js';
import { MaintenanceSchedule } from '../../apps/worker/src/maintenance/maintenance-schedule.js';
import { LOGGER } from '../../apps/worker/src/tokens.js';
import { theRedis } from '../support/queue.js';

const EVERY_MS = 250;
const CONFIG = readConfig({ REDIS_URL: theRedis(13) }).redis;

let workers: INestApplicationContext[] = [];

/** A worker that has nothing but these periodic jobs, on its own connection. */
async function startWorker(jobs: readonly ScheduledJob[]): Promise<INestApplicationContext> {
  const logger = createLogger('test', 'error');
  const worker = await NestFactory.createApplicationContext(
    {
      module: class TestWorker {},
      imports: [
        RedisModule.register(CONFIG, 'consumer', logger),
        QueueModule,
        MaintenanceQueueModule,
      ],
      providers: [
        { provide: LOGGER, useValue: logger },
        { provide: SCHEDULED_JOBS, useValue: jobs },
        MaintenanceProcessor,
        MaintenanceSchedule,
      ],
    },
    { logger: false, abortOnError: false },
  );
  workers.push(worker);
  return worker;
}

const aJob = (name: string, run: ScheduledJob['run'], everyMs = EVERY_MS): ScheduledJob => ({
  name,
  everyMs,
  run,
});

const queueOf = (worker: INestApplicationContext): Queue =>
  worker.get<Queue>(getQueueToken(MAINTENANCE_QUEUE), { strict: false });

async function eventually(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 20_000; !(await isTrue()); await sleep(20)) {
    if (Date.now() > end) throw new Error('It did not become true within 20 s.');
  }
}

afterEach(async () => {
  const [first] = workers;
  await first?.get(Redis).flushdb();
  await Promise.all(workers.map((worker) => worker.close()));
  workers = [];
});

describe('maintenance jobs', () => {
  it('run once per period over two workers, and each period once', async () => {
    const runs: number[] = [];
    const jobs = [aJob('count', async () => void runs.push(Date.now()))];
    await startWorker(jobs);
    await startWorker(jobs);

    await eventually(() => runs.length > 0);
    const startedAt = runs[0]!;
    await eventually(() => runs.length >= 8);

    const periods = Math.round((runs.at(-1)! - startedAt) / EVERY_MS);
    // A run that a busy machine delays may share a period with the next one, but there is never a second series of runs.
    expect(runs.length).toBeLessThanOrEqual(periods + 2);
  });

  it('run again in the next period when they failed', async () => {
    let runs = 0;
    const worker = await startWorker([
      aJob('fail', async () => {
        if (++runs < 3) throw new Error('not yet');
      }),
    ]);

    await eventually(() => runs >= 4);

    await eventually(async () => (await queueOf(worker).getFailedCount()) === 2);
  });

  it('run one at a time over two workers, and a long one delays no other', async () => {
    const running = { now: 0, most: 0, others: 0 };
    let finish!: () => void;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    const jobs = [
      aJob('long', async () => {
        running.most = Math.max(running.most, ++running.now);
        await finished;
        running.now -= 1;
      }),
      aJob('short', async () => void (running.others += 1)),
    ];
    await startWorker(jobs);
    await startWorker(jobs);

    await eventually(() => running.now === 1);
    const others = running.others;
    await eventually(() => running.others >= others + 4);
    finish();

    expect(running.most).toBe(1);
  });

  it('disappear from the schedule with their row in the table', async () => {
    const nothing = async () => undefined;
    const first = await startWorker([aJob('stays', nothing), aJob('goes', nothing)]);
    const names = async () =>
      (await queueOf(first).getJobSchedulers()).map(({ key }) => key).sort();
    await eventually(async () => (await names()).length === 2);

    await startWorker([aJob('stays', nothing)]);

    await eventually(async () => (await names()).length === 1);
    expect(await names()).toEqual(['stays']);
  });

  it('keep their time when another worker schedules them again', async () => {
    const jobs = [aJob('rare', async () => undefined, 600_000)];
    const worker = await startWorker(jobs);
    const next = async () => (await queueOf(worker).getJobScheduler('rare'))?.next;
    await eventually(async () => (await next()) !== undefined);
    const before = await next();
    await sleep(10);

    await worker.get(MaintenanceQueue).schedule(new Map([['rare', 600_000]]));

    expect(await next()).toBe(before);
    expect(await queueOf(worker).getDelayedCount()).toBe(1);
  });

  it('are scheduled again after Redis lost its data', async () => {
    let runs = 0;
    const worker = await startWorker([aJob('count', async () => void (runs += 1))]);
    await eventually(() => runs > 0);
    await worker.get(Redis).flushdb();

    await worker.get(MaintenanceQueue).schedule(new Map([['count', EVERY_MS]]));

    const before = runs;
    await eventually(() => runs >= before + 2);
  });

  it('do not keep a worker from shutting down when they do not end', async () => {
    let isRunning = false;
    let isAborted = false;
    let end!: () => void;
    const stuck = aJob('stuck', (signal) => {
      isRunning = true;
      signal.addEventListener('abort', () => (isAborted = true));
      return new Promise((resolve) => (end = resolve));
    });
    const worker = await startWorker([stuck]);
    await eventually(() => isRunning);

    await worker.close();
    workers = [];

    expect(isAborted).toBe(true);
    end();
  });
});
