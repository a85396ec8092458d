import { randomBytes } from 'node:crypto';
import type { SpanContext } from './trace-context.js';

export type SpanKind = 'internal' | 'server' | 'client' | 'producer' | 'consumer';
export type SpanAttribute = string | number | boolean;

/** Longer texts are cut. Attributes and links have small numbers, so a span has a bounded size. */
const TEXT_MAX = 2000;
const LINKS_MAX = 32;

/** A wall clock that never goes backwards within a trace of this process. */
class TraceClock {
  private readonly wallMs = Date.now();
  private readonly startedAt = performance.now();

  nowMicros(): number {
    return Math.round((this.wallMs + performance.now() - this.startedAt) * 1000);
  }
}

export interface SpanOrigin {
  readonly traceId?: string | undefined;
  readonly parentId?: string | undefined;
  readonly clock?: TraceClock;
}

/** One operation of a trace. Its owner ends it once. */
export class Span implements SpanContext {
  readonly traceId: string;
  readonly spanId = randomBytes(8).toString('hex');
  readonly parentId: string | undefined;
  readonly attributes = new Map<string, SpanAttribute>();
  readonly links: SpanContext[] = [];
  readonly startMicros: number;
  endMicros = 0;
  error: string | undefined;
  private readonly clock: TraceClock;

  constructor(
    readonly name: string,
    readonly kind: SpanKind,
    origin: SpanOrigin,
    private readonly onEnd: (span: Span) => void,
  ) {
    this.traceId = origin.traceId ?? randomBytes(16).toString('hex');
    this.parentId = origin.parentId;
    this.clock = origin.clock ?? new TraceClock();
    this.startMicros = this.clock.nowMicros();
  }

  child(name: string, kind: SpanKind): Span {
    const { traceId, spanId: parentId, clock } = this;
    return new Span(name, kind, { traceId, parentId, clock }, this.onEnd);
  }

  set(name: string, value: SpanAttribute): this {
    this.attributes.set(name, typeof value === 'string' ? value.slice(0, TEXT_MAX) : value);
    return this;
  }

  /** Adds to a number, such as the time of several waits. */
  add(name: string, amount: number): void {
    this.attributes.set(name, Number(this.attributes.get(name) ?? 0) + amount);
  }

  link({ traceId, spanId }: SpanContext): void {
    if (this.links.length < LINKS_MAX) this.links.push({ traceId, spanId });
  }

  fail(error: unknown): void {
    this.error = String(error instanceof Error ? error.message : error).slice(0, 300);
  }

  /** Only the first call counts. */
  end(): void {
    if (this.endMicros > 0) return;
    this.endMicros = this.clock.nowMicros();
    this.onEnd(this);
  }
}
