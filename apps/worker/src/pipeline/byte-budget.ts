interface Waiting {
  readonly bytes: number;
  readonly goOn: () => void;
}

/** How much may be held in memory at once; whoever needs more waits for others to let go. In turn: nobody large starves. */
export class ByteBudget {
  private held = 0;
  private readonly waiting: Waiting[] = [];

  constructor(private readonly max: number) {}

  /** Resolves when there is room; something larger than all of it gets in alone. */
  async take(bytes: number): Promise<void> {
    if (this.waiting.length > 0 || !this.fits(bytes))
      await new Promise<void>((goOn) => this.waiting.push({ bytes, goOn }));
    else this.held += bytes;
  }

  release(bytes: number): void {
    this.held -= bytes;
    while (this.waiting.length > 0 && this.fits(this.waiting[0]!.bytes)) {
      const next = this.waiting.shift()!;
      this.held += next.bytes;
      next.goOn();
    }
  }

  private fits(bytes: number): boolean {
    return this.held === 0 || this.held + bytes <= this.max;
  }
}
