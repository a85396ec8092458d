import { Inject, Injectable } from '@nestjs/common';
import type { RedisConfig } from '@app/config';
import { queueError, QueueFullError, Redis, REDIS_CONFIG } from '@app/redis';
import { CALLS_STREAM } from './streams.js';

/**
 * Bytes that one project may have waiting. Redis is asked before every request, so there is no old news to be passed by;
 * what this process has let in and not yet written counts too. A request that is larger than the limit is let in when
 * nothing else waits: it could never be sent otherwise.
 */
@Injectable()
export class ProjectBacklog {
  private readonly underWay = new Map<string, number>();
  /** 0 is no limit. */
  private readonly maxBytes: number;

  constructor(
    private readonly redis: Redis,
    @Inject(REDIS_CONFIG) { limits }: Pick<RedisConfig, 'limits'>,
  ) {
    this.maxBytes = limits.maxPendingBytes;
  }

  /** Throws QueueFullError, or gives what is to be called when the bytes are in Redis or given up. */
  async letIn(projectId: string, bytes: number): Promise<() => void> {
    if (this.maxBytes === 0) return nothing;
    const stored = await this.stored(projectId);
    const waiting = stored + (this.underWay.get(projectId) ?? 0);
    if (waiting > 0 && waiting + bytes > this.maxBytes) {
      throw new QueueFullError(
        `${projectId} has ${waiting} bytes waiting and may have ${this.maxBytes}; send more when they are stored.`,
      );
    }
    this.add(projectId, bytes);
    return () => this.add(projectId, -bytes);
  }

  private async stored(projectId: string): Promise<number> {
    try {
      return Number((await this.redis.hget(CALLS_STREAM.keys.projectBytes, projectId)) ?? 0);
    } catch (error) {
      throw queueError(error);
    }
  }

  private add(projectId: string, bytes: number): void {
    const sum = (this.underWay.get(projectId) ?? 0) + bytes;
    if (sum > 0) this.underWay.set(projectId, sum);
    else this.underWay.delete(projectId);
  }
}

const nothing = () => undefined;
