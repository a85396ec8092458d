/** How long ClickHouse has to refuse an item while it accepts no other write. */
const PATIENCE_MS = 60_000;

/**
 * Decides whether an item or ClickHouse is the cause of a refusal. The item is the cause when ClickHouse accepts other
 * writes and refuses this one. In a quiet system there may be no other write: then ClickHouse has to refuse the item for a
 * minute, and to accept a known-good insert.
 */
export class RefusalEvidence {
  private acceptedAt = -Infinity;
  private readonly refusedSince = new WeakMap<object, number>();

  constructor(
    private readonly acceptsInserts: () => Promise<boolean>,
    private readonly patienceMs = PATIENCE_MS,
    private readonly now = () => performance.now(),
  ) {}

  /** Call this after every successful write. */
  recordAccepted(): void {
    this.acceptedAt = this.now();
  }

  /** Call this when ClickHouse refuses the item alone. */
  recordRefused(item: object): void {
    if (!this.refusedSince.has(item)) this.refusedSince.set(item, this.now());
  }

  /** Whether the item was refused long enough, so that no other write is needed as evidence. */
  isOverdue(item: object): boolean {
    return this.now() - (this.refusedSince.get(item) ?? Infinity) >= this.patienceMs;
  }

  /** Whether the item is the cause. `acceptedOthers`: ClickHouse accepted other items of the same write. */
  async isConclusive(item: object, acceptedOthers: boolean): Promise<boolean> {
    const since = this.refusedSince.get(item) ?? Infinity;
    if (this.acceptedAt > since) return true;
    return (acceptedOthers || this.isOverdue(item)) && (await this.acceptsInserts());
  }
}
