import type { Millis } from '@app/wire';
import type { Lane } from './streams.js';

/** A project with more pending bytes uses the bulk lane. */
const FAST_LANE_BYTES = 4 * 1024 * 1024;
/** After this time without a write, a known load is outdated. */
const MAX_AGE_MS = 2000;

interface Load {
  readonly pendingBytes: number;
  readonly updatedAt: Millis;
}

/** Chooses the lane of a project by its pending bytes, which this process gets from the replies to its own writes. */
export class ProjectLanes {
  private readonly loads = new Map<string, Load>();

  update(projectId: string, pendingBytes: number, now: Millis): void {
    this.loads.set(projectId, { pendingBytes, updatedAt: now });
  }

  /** The lane for a write of `moreBytes`, which count like bytes that are pending already. */
  laneOf(projectId: string, moreBytes: number, now: Millis): Lane {
    const pendingBytes = this.currentLoad(projectId, now)?.pendingBytes ?? 0;
    return pendingBytes + moreBytes > FAST_LANE_BYTES ? 'bulk' : 'fast';
  }

  private currentLoad(projectId: string, now: Millis): Load | undefined {
    const load = this.loads.get(projectId);
    if (load === undefined || now - load.updatedAt <= MAX_AGE_MS) return load;
    this.loads.delete(projectId);
    return undefined;
  }
}
