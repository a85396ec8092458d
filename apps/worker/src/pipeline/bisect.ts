import { StoreRefusedError, StoreUnavailableError } from '@app/clickhouse';
import type { RefusalEvidence } from './refusal-evidence.js';

/** A bisection stops after this number of refused items while ClickHouse has accepted none. */
const MAX_WITHOUT_EVIDENCE = 8;

/** A write that ClickHouse may refuse because of some of its items. */
export interface RefusableWrite<Item extends object> {
  write(items: readonly Item[]): Promise<unknown>;
  deadLetter(item: Item, refusal: StoreRefusedError): Promise<unknown>;
  readonly evidence: RefusalEvidence;
}

/** Writes the items together. When ClickHouse refuses them permanently, bisects them until each refused item is alone. */
export async function writeOrBisect<Item extends object>(
  items: readonly Item[],
  task: RefusableWrite<Item>,
): Promise<void> {
  try {
    await task.write(items);
    task.evidence.recordAccepted();
  } catch (error) {
    if (!(error instanceof StoreRefusedError)) throw error;
    await bisect(items, error, task);
  }
}

interface Refused<Item> {
  readonly item: Item;
  readonly refusal: StoreRefusedError;
}

/**
 * Writes each half of items that were refused together. An item that is refused alone becomes a dead letter, once there is
 * evidence that ClickHouse accepts other writes. Without evidence it throws StoreUnavailableError, so that the caller retries.
 */
export async function bisect<Item extends object>(
  items: readonly Item[],
  refusal: StoreRefusedError,
  task: RefusableWrite<Item>,
): Promise<void> {
  if (items.length === 0) throw refusal;
  const bisection = new Bisection(task);
  await bisection.divide(items, refusal);
  await bisection.deadLetterRefused();
}

class Bisection<Item extends object> {
  private readonly refused: Refused<Item>[] = [];
  private hasAccepted = false;

  constructor(private readonly task: RefusableWrite<Item>) {}

  async divide(items: readonly Item[], refusal: StoreRefusedError): Promise<void> {
    if (items.length === 1) return this.add({ item: items[0]!, refusal });
    const middle = items.length >>> 1;
    for (const half of [items.slice(0, middle), items.slice(middle)]) {
      const refused = await this.refusalOf(half);
      if (refused === undefined) this.hasAccepted = true;
      else await this.divide(half, refused);
    }
  }

  /** Tries each refused item once more, because an earlier refusal may have been an error of ClickHouse. */
  async deadLetterRefused(): Promise<void> {
    const { evidence } = this.task;
    const undecided: Refused<Item>[] = [];
    for (const refused of this.refused) {
      const { item, refusal } = refused;
      const isCause = isLocal(refusal) || (await evidence.isConclusive(item, this.hasAccepted));
      if (!isCause) undecided.push(refused);
      else if (isLocal(refusal)) await this.task.deadLetter(item, refusal);
      else await this.retryOrDeadLetter(item);
    }
    if (undecided.length > 0) throw withoutEvidence(undecided);
  }

  private async retryOrDeadLetter(item: Item): Promise<void> {
    const refusal = await this.refusalOf([item]);
    if (refusal !== undefined) await this.task.deadLetter(item, refusal);
  }

  private add(refused: Refused<Item>): void {
    this.refused.push(refused);
    if (isLocal(refused.refusal)) return;
    const { evidence } = this.task;
    evidence.recordRefused(refused.item);
    const others = this.refused.filter(({ refusal }) => !isLocal(refusal));
    if (this.hasAccepted || others.length < MAX_WITHOUT_EVIDENCE) return;
    if (!evidence.isOverdue(others[0]!.item)) throw withoutEvidence(others);
  }

  /** Writes the items. Resolves to the refusal, or to undefined when ClickHouse has accepted them. */
  private async refusalOf(items: readonly Item[]): Promise<StoreRefusedError | undefined> {
    try {
      await this.task.write(items);
      this.task.evidence.recordAccepted();
      return undefined;
    } catch (error) {
      if (error instanceof StoreRefusedError) return error;
      throw error;
    }
  }
}

/** The worker itself could not fold or encode the item. ClickHouse had no part in it, so no evidence is needed. */
const isLocal = ({ serverCode }: StoreRefusedError) => serverCode === 0;

function withoutEvidence(refused: readonly Refused<object>[]): StoreUnavailableError {
  const { message, serverCode } = refused[0]!.refusal;
  return new StoreUnavailableError(
    `ClickHouse refused ${refused.length} facts (code ${serverCode}) and accepted no other write since: ${message}`,
    { cause: refused[0]!.refusal },
    true,
  );
}
