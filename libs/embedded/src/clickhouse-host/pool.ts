/** A bounded number of equal things, each lent to one piece of work at a time. */
export class Pool<T> {
  private readonly idle: T[] = [];
  private readonly waiting: ((item: T) => void)[] = [];
  private made = 0;

  constructor(
    private readonly make: () => T,
    private readonly max: number,
  ) {}

  async lend<R>(work: (item: T) => Promise<R>): Promise<R> {
    const item = await this.take();
    try {
      return await work(item);
    } finally {
      this.giveBack(item);
    }
  }

  private async take(): Promise<T> {
    const idle = this.idle.pop();
    if (idle !== undefined) return idle;
    if (this.made >= this.max) return new Promise((resolve) => this.waiting.push(resolve));
    const item = this.make();
    this.made++;
    return item;
  }

  private giveBack(item: T): void {
    const next = this.waiting.shift();
    if (next) next(item);
    else this.idle.push(item);
  }
}
