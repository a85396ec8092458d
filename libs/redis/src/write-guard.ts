import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Redis, ReplyError } from 'ioredis';
import type { RedisConfig } from '@app/config';
import { HeddleError } from '@app/errors';
import type { Check } from '@app/observability';
import { DiskFullError, queueError, QueueUnavailableError } from './queue-errors.js';
import { ExpectedReplicas } from './expected-replicas.js';
import { REDIS_CONFIG } from './redis-config.js';
import {
  durabilityProblem,
  readState,
  serverProblem,
  type RedisState,
} from './redis-durability.js';
import { KEY_PREFIX } from './redis-keys.js';

/** Redis could lose what it acknowledges, so no write is accepted. */
export class QueueNotDurableError extends HeddleError {
  readonly code = 'queue_not_durable';
}

/** The master has the write on disk, but no replica has confirmed it, or one has left. After a fail-over it could be lost. */
export class WriteUnconfirmedError extends HeddleError {
  readonly code = 'write_unconfirmed';
}

const READ_EVERY_MS = 1000;
/** string: written by every readiness check. */
const PROBE = `${KEY_PREFIX}:probe`;

type GuardConfig = Pick<RedisConfig, 'allowNonDurable' | 'replicaWaitMs' | 'sentinels'>;

/**
 * Decides whether a write may be acknowledged. Reads the state of Redis on every new connection before the first write, and
 * once a second after it. A timer and not a maintenance job: ingest needs the state also while no worker runs.
 */
@Injectable()
export class WriteGuard implements OnModuleDestroy {
  private state: Promise<RedisState> | undefined;
  /** The number of replicas in the last state; confirmations must not wait for the next one. */
  private replicas = 0;
  private readonly expected = new ExpectedReplicas();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly redis: Redis,
    @Inject(REDIS_CONFIG) private readonly config: GuardConfig,
  ) {
    redis.on('close', () => (this.state = undefined));
  }

  /** Rejects with QueueNotDurableError or QueueUnavailableError unless Redis is a master that keeps what it acknowledges. */
  async requireWritable(): Promise<void> {
    this.timer ??= setInterval(() => void this.refresh(), READ_EVERY_MS).unref();
    const state = await (this.state ??= this.read());
    const problem = serverProblem(state);
    if (problem !== undefined) throw new QueueUnavailableError(problem);
    if (state.appendProblem !== undefined) throw new DiskFullError(`${state.appendProblem}.`);
    const weakness = durabilityProblem(state.settings, this.config);
    if (weakness !== undefined) throw new QueueNotDurableError(`${weakness}.`);
  }

  /**
   * Resolves when a replica has the writes that were sent before this call, or at once without replicas. Rejects with
   * WriteUnconfirmedError after the maximum wait. Other commands of the connection wait behind it.
   */
  async confirm(): Promise<void> {
    const { replicaWaitMs } = this.config;
    if (replicaWaitMs === 0) return;
    this.requireReplicas(this.replicas);
    if (this.replicas === 0) return;
    const [confirmations, replicas] = await Promise.all([
      this.redis.wait(1, replicaWaitMs),
      this.attachedReplicas(),
    ]);
    if (confirmations === 0)
      throw new WriteUnconfirmedError(
        `No replica has confirmed the write within ${replicaWaitMs} ms`,
      );
    this.requireReplicas(replicas);
  }

  /** Throws when a replica has left and Sentinels may be promoting it. */
  private requireReplicas(replicas: number): void {
    if (this.config.sentinels.length > 0 && this.expected.isMissing(replicas))
      throw new WriteUnconfirmedError(
        'A replica of Redis has left, so a fail-over may have begun; writes are confirmed again within 15 s',
      );
  }

  /** After the confirmation. Those of the last state when Redis does not allow the command. */
  private async attachedReplicas(): Promise<number> {
    if (this.config.sentinels.length === 0) return this.replicas;
    try {
      const [, , replicas] = (await this.redis.role()) as [string, number, unknown[]];
      return replicas.length;
    } catch (error) {
      if (error instanceof ReplyError) return this.replicas;
      throw error;
    }
  }

  /** Resolves to the reply of a write that was just sent, once a replica has it. */
  async confirmed<Reply>(write: Promise<Reply>): Promise<Reply> {
    // WAIT is sent at once, so that both need one round trip.
    const [reply, confirmation] = await Promise.allSettled([write, this.confirm()]);
    if (reply.status === 'rejected') throw reply.reason;
    if (confirmation.status === 'rejected') throw confirmation.reason;
    return reply.value;
  }

  /** Readiness: executes a write as a publisher does, under the same conditions. */
  writeCheck(): Check {
    return { name: 'write', problem: () => this.probe() };
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  private async probe(): Promise<undefined> {
    this.state = this.read();
    await this.requireWritable();
    await this.confirmed(this.redis.set(PROBE, Date.now()));
    return undefined;
  }

  private async read(): Promise<RedisState> {
    try {
      const state = await readState(this.redis);
      this.note(state);
      return state;
    } catch (error) {
      this.state = undefined;
      throw queueError(error);
    }
  }

  /** Keeps the last state while Redis does not reply, unless the connection breaks. */
  private async refresh(): Promise<void> {
    if (this.redis.status !== 'ready') return;
    const before = this.state;
    const next = await readState(this.redis).catch(() => undefined);
    if (next === undefined || this.state !== before) return;
    this.note(next);
    this.state = Promise.resolve(next);
  }

  private note({ replicas, replicationId }: RedisState): void {
    this.replicas = replicas;
    this.expected.note(replicationId, replicas);
  }
}
