interface Waiter {
  readonly bytes: number;
  readonly resolve: () => void;
}

/** Limits the bytes that are in memory at the same time. Waiters are served in order, so that a large one never starves. */
export class ByteBudget {
  private used = 0;
  private readonly waiting: Waiter[] = [];

  constructor(private readonly max: number) {}

  /** Resolves when the bytes fit into the budget, or when nothing else is in use. The caller must release them. */
  async acquire(bytes: number): Promise<void> {
    if (this.waiting.length > 0 || !this.fits(bytes))
      await new Promise<void>((resolve) => this.waiting.push({ bytes, resolve }));
    else this.used += bytes;
  }

  release(bytes: number): void {
    this.used -= bytes;
    while (this.waiting.length > 0 && this.fits(this.waiting[0]!.bytes)) {
      const next = this.waiting.shift()!;
      this.used += next.bytes;
      next.resolve();
    }
  }

  private fits(bytes: number): boolean {
    return this.used === 0 || this.used + bytes <= this.max;
  }
}
