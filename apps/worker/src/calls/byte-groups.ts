/**
 * Facts that are read from the log at once. Together with their parsed fields and their rows they need several times this
 * memory, and several flushes run at the same time.
 */
export const READ_MAX_BYTES = 8 * 1024 * 1024;

/**
 * Splits items into groups of at most `maxBytes`. An item that is larger has a group of its own. The first group has
 * `reserved` bytes less space, and is empty when the first item does not fit.
 */
export function byteGroups<Item>(
  items: readonly Item[],
  bytesOf: (item: Item) => number,
  maxBytes = READ_MAX_BYTES,
  reserved = 0,
): Item[][] {
  const groups: Item[][] = [[]];
  let used = reserved;
  for (const item of items) {
    const bytes = bytesOf(item);
    if (used > 0 && used + bytes > maxBytes) {
      groups.push([]);
      used = 0;
    }
    groups.at(-1)!.push(item);
    used += bytes;
  }
  return groups;
}
