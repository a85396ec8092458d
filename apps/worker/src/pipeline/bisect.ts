import { StoreRefusedError } from '@app/clickhouse';

type Write<Item> = (items: readonly Item[]) => Promise<unknown>;
type DeadLetter<Item> = (item: Item, refusal: StoreRefusedError) => Promise<unknown>;

/** Writes the items together. When ClickHouse refuses them permanently, bisects them until each refused item is alone. */
export async function writeOrBisect<Item>(
  items: readonly Item[],
  write: Write<Item>,
  deadLetter: DeadLetter<Item>,
): Promise<void> {
  try {
    await write(items);
  } catch (error) {
    if (!(error instanceof StoreRefusedError)) throw error;
    await bisect(items, error, write, deadLetter);
  }
}

/** Writes each half of items that were refused together; an item that is refused alone becomes a dead letter. */
export async function bisect<Item>(
  items: readonly Item[],
  refusal: StoreRefusedError,
  write: Write<Item>,
  deadLetter: DeadLetter<Item>,
): Promise<void> {
  if (items.length === 0) throw refusal;
  if (items.length === 1) {
    await deadLetter(items[0]!, refusal);
    return;
  }
  const middle = items.length >>> 1;
  await writeOrBisect(items.slice(0, middle), write, deadLetter);
  await writeOrBisect(items.slice(middle), write, deadLetter);
}
