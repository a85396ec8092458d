import type { ProjectLimitsConfig } from '@app/config';
import type { Lane } from './queue-keys.js';
import { QueueFull } from './queue-problems.js';

/** A project with more than this pending leaves the fast lane. */
const FAST_LANE_BYTES = 4 * 1024 * 1024;
/** What was learned about a project is old news after this; a flood keeps it fresh by itself. */
const FRESH_MS = 2000;

interface Load {
  pendingBytes: number;
  factsThisSecond: number;
  second: number;
  learnedAt: number;
}

/**
 * What this process last learned about each project's load, from the replies to its own writes: enough to choose a lane
 * and to refuse, without asking Redis anything more.
 */
export class ProjectLimits {
  private readonly loads = new Map<string, Load>();

  constructor(
    private readonly config: Pick<ProjectLimitsConfig, 'maxPendingBytes' | 'maxFactsPerSecond'>,
  ) {}

  learn(projectId: string, pendingBytes: number, factsThisSecond: number, now: number): void {
    const second = Math.floor(now / 1000);
    this.loads.set(projectId, { pendingBytes, factsThisSecond, second, learnedAt: now });
  }

  /** The lane of so many bytes more: what comes at once is a flood as much as what has gathered. */
  laneOf(projectId: string, moreBytes: number, now: number): Lane {
    const pendingBytes = this.fresh(projectId, now)?.pendingBytes ?? 0;
    return pendingBytes + moreBytes > FAST_LANE_BYTES ? 'bulk' : 'fast';
  }

  /** Throws when a project has sent more than it may. */
  refuseExcess(projectIds: Iterable<string>, now: number): void {
    for (const projectId of projectIds) {
      const load = this.fresh(projectId, now);
      if (load !== undefined) this.refuse(projectId, load, now);
    }
  }

  private refuse(projectId: string, load: Load, now: number): void {
    const { maxPendingBytes, maxFactsPerSecond } = this.config;
    if (maxPendingBytes > 0 && load.pendingBytes > maxPendingBytes) {
      throw new QueueFull(
        `${projectId} has ${load.pendingBytes} bytes waiting; send more when they are stored.`,
      );
    }
    const isThisSecond = load.second === Math.floor(now / 1000);
    if (maxFactsPerSecond > 0 && isThisSecond && load.factsThisSecond >= maxFactsPerSecond) {
      throw new QueueFull(
        `${projectId} may send ${maxFactsPerSecond} facts a second; send more in the next one.`,
      );
    }
  }

  private fresh(projectId: string, now: number): Load | undefined {
    const load = this.loads.get(projectId);
    if (load === undefined || now - load.learnedAt <= FRESH_MS) return load;
    this.loads.delete(projectId);
    return undefined;
  }
}
