/** Questions that come while one is being answered are gathered and asked together. */
export class Gathered<Key, Value> {
  private waiting: {
    key: Key;
    resolve: (value: Value) => void;
    reject: (error: unknown) => void;
  }[] = [];
  private isAsking = false;

  /** `ask` gives one value per key, in order. */
  constructor(private readonly ask: (keys: readonly Key[]) => Promise<readonly Value[]>) {}

  get(key: Key): Promise<Value> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ key, resolve, reject });
      if (!this.isAsking) void this.askUntilNobodyWaits();
    });
  }

  private async askUntilNobodyWaits(): Promise<void> {
    this.isAsking = true;
    while (this.waiting.length > 0) {
      const some = this.waiting;
      this.waiting = [];
      await this.ask(some.map(({ key }) => key)).then(
        (values) => some.forEach(({ resolve }, i) => resolve(values[i]!)),
        (error: unknown) => some.forEach(({ reject }) => reject(error)),
      );
    }
    this.isAsking = false;
  }
}
