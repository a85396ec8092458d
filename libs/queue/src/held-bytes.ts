/** How much may be held in memory at once; whoever needs more waits for others to let go. */
export class HeldBytes {
  private held = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly max: number) {}

  /** Resolves when there is room; something larger than all of it gets in alone. */
  async take(bytes: number): Promise<void> {
    while (this.held > 0 && this.held + bytes > this.max) {
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
    this.held += bytes;
  }

  release(bytes: number): void {
    this.held -= bytes;
    for (const wake of this.waiting.splice(0)) wake();
  }
}
