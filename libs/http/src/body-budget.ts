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
  readonly subject: string;
  readonly bytes: number;
  readonly start: () => void;
}

/** The memory that one body may use. */
export interface BodyShare {
  /** Makes room for `bytes` in all, or throws `bodies_busy`. It does not wait: bodies that wait for each other would never end. */
  growTo(bytes: number): void;
  /** Whether other bodies wait for memory. */
  isWanted(): boolean;
  release(): void;
}

/**
 * Bounds the bytes of all request bodies in memory. A caller uses at most half, so that its large bodies delay only its own. A body
 * that is larger than that is read when its caller has no other one, or, when it is larger than all the memory, alone.
 */
export class BodyBudget {
  private readonly used = new Map<string, number>();
  private readonly waiting = new Set<Waiting>();
  private total = 0;

  constructor(private readonly options: BodyBudgetOptions) {}

  /** Resolves when the body may be read. Rejects with `bodies_busy` when it has waited too long, or when the client leaves. */
  async reserve(subject: string, bytes: number, signal: AbortSignal): Promise<BodyShare> {
    if (!this.hasRoom(subject, bytes)) await this.turn(subject, bytes, signal);
    else this.add(subject, bytes);
    return this.share(subject, bytes);
  }

  /** A share for a body that is probably small. It becomes larger with the body. */
  open(subject: string): BodyShare {
    return this.share(subject, 0);
  }

  private share(subject: string, reserved: number): BodyShare {
    let bytes = reserved;
    let isReleased = false;
    return {
      growTo: (wanted) => {
        const more = wanted - bytes;
        if (more <= 0 || wanted <= COUNTED_MIN_BYTES || isReleased) return;
        if (!this.hasRoom(subject, more, bytes)) throw tooBusy();
        this.add(subject, more);
        bytes = wanted;
      },
      isWanted: () => this.waiting.size > 0,
      release: () => {
        if (isReleased) return;
        isReleased = true;
        this.add(subject, -bytes);
        this.startNext();
      },
    };
  }

  /** `own` are the bytes that the same body has already. */
  private hasRoom(subject: string, bytes: number, own = 0): boolean {
    const { maxBytes } = this.options;
    const ofSubject = this.used.get(subject) ?? 0;
    const isSubjectAlone = ofSubject === own;
    const isAlone = this.total === own;
    return (
      (isAlone || this.total + bytes <= maxBytes) &&
      (isSubjectAlone || ofSubject + bytes <= maxBytes / 2)
    );
  }

  private turn(subject: string, bytes: number, signal: AbortSignal): Promise<void> {
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
        reject(tooBusy());
      };
      const start = () => {
        leave();
        this.add(subject, bytes);
        resolve();
      };
      const one: Waiting = { subject, bytes, start };
      const timer = setTimeout(giveUp, this.options.maxWaitMs).unref();
      signal.addEventListener('abort', giveUp, { once: true });
      this.waiting.add(one);
      WAITING.set(this.waiting.size);
    });
  }

  /** In the order of arrival, without those for which there is no room. */
  private startNext(): void {
    for (const one of this.waiting) if (this.hasRoom(one.subject, one.bytes)) one.start();
  }

  private add(subject: string, bytes: number): void {
    const ofSubject = (this.used.get(subject) ?? 0) + bytes;
    if (ofSubject === 0) this.used.delete(subject);
    else this.used.set(subject, ofSubject);
    this.total += bytes;
    RECEIVED.set(this.total);
  }
}

const tooBusy = () => new ProblemError('bodies_busy', undefined, {}, RETRY_SECONDS);
