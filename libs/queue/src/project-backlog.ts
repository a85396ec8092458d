import { Inject, Injectable } from '@nestjs/common';
import type { RedisConfig } from '@app/config';
import { queueError, QueueFullError, Redis, REDIS_CONFIG } from '@app/redis';
import type { Loads } from './chunks.js';
import { CALLS_STREAM } from './streams.js';

/**
 * Limits the pending bytes of each project. Every request reads the current numbers from Redis. Bytes that this process has
 * admitted and not yet written count too. A request that is larger than the limit is admitted when nothing else is
 * pending, because it could never be sent otherwise.
 */
@Injectable()
export class ProjectBacklog {
  private readonly admitted = new Map<string, number>();
  /** 0 means no limit. */
  private readonly maxBytes: number;

  constructor(
    private readonly redis: Redis,
    @Inject(REDIS_CONFIG) { limits }: Pick<RedisConfig, 'limits'>,
  ) {
    this.maxBytes = limits.maxPendingBytes;
  }

  /** Rejects with QueueFullError. Resolves to a function to call when the bytes are in Redis or were not written. */
  async admit(loads: Loads): Promise<() => void> {
    if (this.maxBytes === 0) return () => undefined;
    const inRedis = await this.pendingInRedis([...loads.keys()]);
    let i = 0;
    for (const [project, { bytes }] of loads) this.require(project, bytes, Number(inRedis[i++]));
    for (const [project, { bytes }] of loads) this.add(project, bytes);
    return () => {
      for (const [project, { bytes }] of loads) this.add(project, -bytes);
    };
  }

  private require(project: string, bytes: number, inRedis: number): void {
    const pending = inRedis + (this.admitted.get(project) ?? 0);
    if (pending === 0 || pending + bytes <= this.maxBytes) return;
    throw new QueueFullError(
      `${project} has ${pending} bytes pending, and its limit is ${this.maxBytes}; retry when they are stored.`,
    );
  }

  /** In the order of `projects`; null for none. */
  private async pendingInRedis(projects: readonly string[]): Promise<(string | null)[]> {
    try {
      return await this.redis.hmget(CALLS_STREAM.keys.projectBytes, ...projects);
    } catch (error) {
      throw queueError(error);
    }
  }

  private add(projectId: string, bytes: number): void {
    const sum = (this.admitted.get(projectId) ?? 0) + bytes;
    if (sum > 0) this.admitted.set(projectId, sum);
    else this.admitted.delete(projectId);
  }
}
