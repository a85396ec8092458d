import { statfs } from 'node:fs/promises';
import type { Logger } from '@app/observability';
import { OLD_PARTS_SECONDS } from './clickhouse-server-config.js';
import type { SupervisedProcess } from './supervised-process.js';

const MIB = 1024 ** 2;
const MAX_KEPT_BYTES = 256 * MIB;
const KEPT_SHARE = 0.05;
const SAMPLE_EVERY_MS = 1000;
const QUERY_TIMEOUT_MS = 2000;
/** Until ClickHouse deletes the sources of a merge, a start can replace a broken result by them. Stopping takes time, too. */
export const RESTART_WITHIN_MS = (OLD_PARTS_SECONDS * 1000) / 3;
/** A restart does not repair a part that was damaged in another way, so errors alone cause fewer and fewer of them. */
const MIN_BETWEEN_RESTARTS_MS = RESTART_WITHIN_MS;
const MAX_BETWEEN_RESTARTS_MS = 60 * 60_000;

/** How often ClickHouse could not read a part since it was started. */
const UNREADABLE_PARTS = `SELECT sum(value) FROM system.errors
WHERE name IN ('CORRUPTED_DATA', 'CHECKSUM_DOESNT_MATCH', 'NO_FILE_IN_DATA_PART')
   OR (name = 'CANNOT_READ_ALL_DATA' AND last_error_message LIKE '%from part%')`;

/** The space on the disk of this directory that ClickHouse leaves free. */
export async function keepFreeBytes(directory: string): Promise<number> {
  const { blocks, bsize } = await statfs(directory);
  return Math.min(MAX_KEPT_BYTES, Math.floor(blocks * bsize * KEPT_SHARE));
}

interface DiskSample {
  readonly isFull: boolean;
  /** Undefined when ClickHouse does not respond. */
  readonly unreadableParts: number | undefined;
}

/**
 * Decides when ClickHouse has to be started again after its disk was full. A merge that runs out of space can be committed
 * with empty files. Reads and later merges of that part then fail, until a start detaches it and uses its sources again.
 */
export class FullDiskDecision {
  private fullSince: number | undefined;
  private isDue = false;
  private wasFull = false;
  /** Whether it was restarted while the disk was still full. Once more is needed when space is free. */
  private wasLate = false;
  private unreadable: number | undefined;
  /** When errors last caused a restart, and how long they cause none after it. */
  private failedAt = -Infinity;
  private betweenMs = MIN_BETWEEN_RESTARTS_MS;

  /** The reason for a restart now; undefined when none is needed. */
  next({ isFull, unreadableParts }: DiskSample, nowMs: number): string | undefined {
    if (isFull && !this.wasFull) [this.isDue, this.fullSince] = [true, nowMs];
    this.wasFull = isFull;
    const fails = this.countUnreadable(unreadableParts) && this.mayRestartForErrors(nowMs);
    if (fails) {
      this.isDue = true;
      this.fullSince ??= nowMs;
    }
    if (!this.isDue) return undefined;
    if (!isFull) {
      [this.isDue, this.wasLate, this.fullSince] = [false, false, undefined];
      return this.restart(fails ? 'it cannot read a part' : 'its disk was full');
    }
    if (this.wasLate || nowMs - (this.fullSince ?? nowMs) < RESTART_WITHIN_MS) return undefined;
    this.wasLate = true;
    return this.restart('its disk has been full for a minute');
  }

  /** Soon after a restart for another reason, because the sources of a merge do not exist for long. */
  private mayRestartForErrors(nowMs: number): boolean {
    const sinceMs = nowMs - this.failedAt;
    if (sinceMs < this.betweenMs) return false;
    const isLongAgo = sinceMs >= 2 * MAX_BETWEEN_RESTARTS_MS;
    const next = isLongAgo ? MIN_BETWEEN_RESTARTS_MS : 2 * this.betweenMs;
    this.betweenMs = Math.min(next, MAX_BETWEEN_RESTARTS_MS);
    this.failedAt = nowMs;
    return true;
  }

  private countUnreadable(count: number | undefined): boolean {
    const before = this.unreadable;
    this.unreadable = count ?? before;
    return count !== undefined && before !== undefined && count > before;
  }

  private restart(reason: string): string {
    this.unreadable = undefined;
    return `${reason}, and a start checks all parts; see docs/operations/disk-full.md`;
  }
}

interface Watched {
  readonly directory: string;
  readonly url: string;
  readonly username: string;
  readonly password: string;
  readonly keepFreeBytes: number;
  readonly process: SupervisedProcess;
  readonly logger: Logger;
}

/** Samples the disk of an embedded ClickHouse, and restarts ClickHouse after the disk was full. */
export class FullDiskWatch {
  private readonly decision = new FullDiskDecision();
  private readonly timer: NodeJS.Timeout;
  private isBusy = false;

  constructor(private readonly watched: Watched) {
    this.timer = setInterval(() => void this.sample(), SAMPLE_EVERY_MS).unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private async sample(): Promise<void> {
    if (this.isBusy) return;
    this.isBusy = true;
    try {
      const reason = this.decision.next(await this.read(), performance.now());
      if (reason !== undefined) await this.watched.process.restart(reason);
    } catch (error) {
      this.watched.logger.debug('The disk of ClickHouse could not be checked.', {
        error: String(error),
      });
    } finally {
      this.isBusy = false;
    }
  }

  private async read(): Promise<DiskSample> {
    const { directory, keepFreeBytes: kept } = this.watched;
    const { bavail, bsize } = await statfs(directory);
    return { isFull: bavail * bsize < kept, unreadableParts: await this.unreadableParts() };
  }

  /** Undefined while ClickHouse does not respond, which the supervisor handles. */
  private async unreadableParts(): Promise<number | undefined> {
    const { url, username, password } = this.watched;
    try {
      const response = await fetch(url, {
        method: 'POST',
        body: UNREADABLE_PARTS,
        headers: { 'X-ClickHouse-User': username, 'X-ClickHouse-Key': password },
        signal: AbortSignal.timeout(QUERY_TIMEOUT_MS),
      });
      return response.ok ? Number(await response.text()) : undefined;
    } catch (error) {
      this.watched.logger.debug('ClickHouse did not respond to the check of its parts.', {
        error: String(error),
      });
      return undefined;
    }
  }
}
