import { Injectable } from '@nestjs/common';
import type { Queue } from 'bullmq';
import { nowMillis } from '@app/wire';
import { CallsQueue } from './calls-queue.js';
import { RecordsQueue } from './records-queue.js';

/** Chunks of one lane. */
export interface LaneState {
  readonly name: string;
  readonly waiting: number;
  /** A worker stores them now. */
  readonly active: number;
  /** A worker tries them again later. */
  readonly delayed: number;
  /** The time since the oldest of them was received; 0 without one. */
  readonly oldestMs: number;
}

const PENDING = ['active', 'wait', 'prioritized', 'delayed'] as const;

/** How many chunks wait in each lane, and for how long. */
@Injectable()
export class QueueLanes {
  constructor(
    private readonly calls: CallsQueue,
    private readonly records: RecordsQueue,
  ) {}

  async read(now = nowMillis()): Promise<LaneState[]> {
    const { fast, bulk } = this.calls.lanes;
    const lanes = { 'calls, fast': fast, 'calls, bulk': bulk, records: this.records.queue };
    return Promise.all(
      Object.entries(lanes).map(async ([name, queue]) => ({
        name,
        ...(await counts(queue)),
        oldestMs: await oldestMs(queue, now),
      })),
    );
  }
}

async function counts(queue: Queue) {
  const found = await queue.getJobCounts(...PENDING);
  const { active = 0, wait = 0, waiting = wait, prioritized = 0, delayed = 0 } = found;
  return { waiting: waiting + prioritized, active, delayed };
}

/** Each list has its oldest job at one end. */
async function oldestMs(queue: Queue, now: number): Promise<number> {
  const firsts = await Promise.all(PENDING.map((state) => queue.getJobs([state], 0, 0, true)));
  // A job that ended meanwhile is undefined.
  const times = firsts.flatMap(([job]) => (job === undefined ? [] : [job.timestamp]));
  return times.length === 0 ? 0 : Math.max(0, now - Math.min(...times));
}
