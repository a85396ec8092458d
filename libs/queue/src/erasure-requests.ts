import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { KEY_PREFIX, queueError, Redis, WriteGuard } from '@app/redis';
import { nowMillis, type Millis } from '@app/wire';
import type { AuditEntry } from './audit-trail.js';

/** hash: id of an erasure → `ErasureRequest` as JSON. */
const REQUESTS = `${KEY_PREFIX}:erasures`;
/** Reports that are kept. The audit log has all of them. */
const KEPT = 200;
/** Erasures that wait at the same time. */
export const OPEN_ERASURES_MAX = 50;

type ErasureState = 'requested' | 'running' | 'done' | 'failed';

/** What an admin has requested to erase, and what became of it. */
export interface ErasureRequest {
  readonly id: string;
  readonly projectId: string;
  readonly traceId: string | null;
  readonly userId: string | null;
  /** Who has requested it, for the audit log. */
  readonly actor: Omit<AuditEntry, 'action' | 'projectId' | 'detail'>;
  readonly requestedAt: Millis;
  readonly state: ErasureState;
  readonly endedAt: Millis | null;
  readonly calls: number;
  readonly files: number;
  /** Rows that were deleted, by table. */
  readonly rows: Readonly<Record<string, number>>;
  /** Copies that Heddle cannot reach, one sentence each. */
  readonly notReached: readonly string[];
  readonly error: string | null;
}

type Requested = Pick<ErasureRequest, 'projectId' | 'traceId' | 'userId' | 'actor'>;

const hasEnded = ({ state }: ErasureRequest) => state === 'done' || state === 'failed';

/** Erasures that admins request by HTTP. A worker carries them out. */
@Injectable()
export class ErasureRequests {
  constructor(
    private readonly redis: Redis,
    private readonly guard: WriteGuard,
  ) {}

  /** Resolves when Redis has the request on disk; undefined when too many are open. */
  async add(requested: Requested, now = nowMillis()): Promise<ErasureRequest | undefined> {
    const all = await this.all();
    if (all.filter((one) => !hasEnded(one)).length >= OPEN_ERASURES_MAX) return undefined;
    const outcome = { calls: 0, files: 0, rows: {}, notReached: [], error: null };
    const request: ErasureRequest = {
      ...{ id: randomUUID(), ...requested, requestedAt: now, endedAt: null },
      ...{ state: 'requested', ...outcome },
    };
    await this.save(request);
    const old = all.filter(hasEnded).slice(KEPT);
    if (old.length > 0) await this.redis.hdel(REQUESTS, ...old.map(({ id }) => id));
    return request;
  }

  /** The newest first. */
  async all(): Promise<ErasureRequest[]> {
    try {
      const texts = await this.redis.hvals(REQUESTS);
      const requests = texts.map((text) => JSON.parse(text) as ErasureRequest);
      return requests.sort((a, b) => b.requestedAt - a.requestedAt || (a.id < b.id ? -1 : 1));
    } catch (error) {
      throw queueError(error);
    }
  }

  async save(request: ErasureRequest): Promise<void> {
    try {
      await this.guard.requireWritable();
      await this.guard.confirmed(this.redis.hset(REQUESTS, request.id, JSON.stringify(request)));
    } catch (error) {
      throw queueError(error);
    }
  }

  /** Those that no worker has finished, the oldest first. A run that was cut off begins again. */
  async open(): Promise<ErasureRequest[]> {
    return (await this.all()).filter((one) => !hasEnded(one)).reverse();
  }
}
