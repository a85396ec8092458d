import type { Millis } from '@app/wire';
import type { Lane } from './streams.js';

/** A project with more than this pending leaves the fast lane. */
const FAST_LANE_BYTES = 4 * 1024 * 1024;
/** What was learned about a project is old news after this; a flood keeps it fresh by itself. */
const FRESH_MS = 2000;

interface Load {
  readonly pendingBytes: number;
  readonly learnedAt: Millis;
}

/** What this process last learned about each project's load, from the replies to its own writes: enough to choose a lane. */
export class ProjectLanes {
  private readonly loads = new Map<string, Load>();

  learn(projectId: string, pendingBytes: number, now: Millis): void {
    this.loads.set(projectId, { pendingBytes, learnedAt: now });
  }

  /** The lane of so many bytes more: what comes at once is a flood as much as what has gathered. */
  laneOf(projectId: string, moreBytes: number, now: Millis): Lane {
    const pendingBytes = this.fresh(projectId, now)?.pendingBytes ?? 0;
    return pendingBytes + moreBytes > FAST_LANE_BYTES ? 'bulk' : 'fast';
  }

  private fresh(projectId: string, now: Millis): Load | undefined {
    const load = this.loads.get(projectId);
    if (load === undefined || now - load.learnedAt <= FRESH_MS) return load;
    this.loads.delete(projectId);
    return undefined;
  }
}
