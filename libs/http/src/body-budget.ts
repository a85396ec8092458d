import { gauge } from '@app/observability';
import { ProblemError } from './problems.js';

const RECEIVED = gauge('heddle_http_body_bytes', 'Bytes of large request bodies in memory.');
const WAITING = gauge(
  'heddle_http_bodies_unread',
  'Requests whose body is not read yet, because other bodies use the memory.',
);

/** A smaller body does not wait and is not counted: the number of connections bounds their memory. */
export const COUNTED_MIN_BYTES = 64 * 1024;
const WAITING_MAX = 1000;
const RETRY_SECONDS = 2;

export interface BodyBudgetOptions {
  readonly maxBytes: number;
  readonly maxWaitMs: number;
}

interface Waiting {
  readonly tenant: string;
  readonly bytes: number;
  readonly start: () => void;
}

/** The memory that one body may use. */
export interface BodyShare {
  /**
   * Reserves `bytes` in all, or throws `bodies_busy`. It does not wait: bodies would
   * wait for each other.
   */
  growTo(bytes: number): void;
  /** Whether other bodies wait for memory. */
  isWanted(): boolean;
  release(): void;
}

/**
 * Bounds the bytes of all request bodies in memory. A tenant uses at most half, so that its large bodies delay only its own. A body
 * counts as half of the memory at most, so that the largest ones are read, too.
 */
export class BodyBudget {
  private readonly used = new Map<string, number>();
  private readonly waiting = new Set<Waiting>();
  private readonly maxOfTenant: number;
  private total = 0;

  constructor(private readonly options: BodyBudgetOptions) {
    this.maxOfTenant = options.maxBytes / 2;
  }

  /** Resolves when the body may be read. Rejects with `bodies_busy` when it has waited too long, or when the client leaves. */
  async reserve(tenant: string, bytes: number, signal: AbortSignal): Promise<BodyShare> {
    const counted = this.counted(bytes);
    await this.turn(tenant, counted, signal);
    return this.share(tenant, counted);
  }

  /** A share for a body that is probably small. It becomes larger with the body. */
  open(tenant: string): BodyShare {
    return this.share(tenant, 0);
  }

  private share(tenant: string, reserved: number): BodyShare {
    let counted = reserved;
    let isReleased = false;
    return {
      growTo: (bytes) => {
        const more = this.counted(bytes) - counted;
        if (more <= 0 || bytes <= COUNTED_MIN_BYTES || isReleased) return;
        if (!this.isFree(more) || !this.isFreeFor(tenant, more)) throw tooBusy();
        this.add(tenant, more);
        counted += more;
      },
      isWanted: () => this.waiting.size > 0,
      release: () => {
        if (isReleased) return;
        isReleased = true;
        this.add(tenant, -counted);
        this.startNext();
      },
    };
  }

  private counted(bytes: number): number {
    return Math.min(bytes, this.maxOfTenant);
  }

  private isFree(bytes: number): boolean {
    return this.total + bytes <= this.options.maxBytes;
  }

  private isFreeFor(tenant: string, bytes: number): boolean {
    return (this.used.get(tenant) ?? 0) + bytes <= this.maxOfTenant;
  }

  private turn(tenant: string, bytes: number, signal: AbortSignal): Promise<void> {
    if (this.waiting.size >= WAITING_MAX) throw tooBusy();
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', giveUp);
        this.waiting.delete(one);
        WAITING.set(this.waiting.size);
      };
      const giveUp = () => {
        leave();
        this.startNext();
        reject(tooBusy());
      };
      const start = () => {
        leave();
        this.add(tenant, bytes);
        resolve();
      };
      const one: Waiting = { tenant, bytes, start };
      const timer = setTimeout(giveUp, this.options.maxWaitMs).unref();
      signal.addEventListener('abort', giveUp, { once: true });
      this.waiting.add(one);
      WAITING.set(this.waiting.size);
      this.startNext();
    });
  }

  /** In the order of arrival. Only those whose tenant uses its half are overtaken: else a large body could wait indefinitely. */
  private startNext(): void {
    for (const one of this.waiting) {
      if (!this.isFreeFor(one.tenant, one.bytes)) continue;
      if (!this.isFree(one.bytes)) return;
      one.start();
    }
  }

  private add(tenant: string, bytes: number): void {
    const ofTenant = (this.used.get(tenant) ?? 0) + bytes;
    if (ofTenant === 0) this.used.delete(tenant);
    else this.used.set(tenant, ofTenant);
    this.total += bytes;
    RECEIVED.set(this.total);
  }
}

const tooBusy = () => new ProblemError('bodies_busy', undefined, {}, RETRY_SECONDS);
