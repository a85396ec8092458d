import type { TableRow } from './table-api.js';

const CELL_CHARACTERS = 160;
const COLUMNS_MAX = 12;

/** A value in a cell, without the quotes of a text. */
export function cellText(value: unknown): string {
  if (value === undefined) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > CELL_CHARACTERS ? `${text.slice(0, CELL_CHARACTERS)}…` : text;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The keys of rows, in the order of their first appearance. A row that is not an object has one column. */
export function columnsOf(rows: readonly TableRow[]): string[] {
  const keys = new Set<string>();
  for (const { val } of rows) {
    if (isObject(val)) for (const key of Object.keys(val)) keys.add(key);
    if (keys.size >= COLUMNS_MAX) break;
  }
  return [...keys].slice(0, COLUMNS_MAX);
}

export const cellOf = ({ val }: TableRow, column: string): string =>
  cellText(isObject(val) ? (Object.hasOwn(val, column) ? val[column] : undefined) : undefined);

/** Whether a row contains the text, in any case. */
export const contains = ({ val }: TableRow, lowerText: string): boolean =>
  JSON.stringify(val).toLowerCase().includes(lowerText);

/** The rows that two tables have, by digest: the same content has the same digest. */
export class RowDigests {
  private readonly counts = new Map<string, number>();
  private readonly addedDigests: string[] = [];
  private sameCount = 0;
  private leftCount = 0;

  addBefore(digest: string): void {
    this.counts.set(digest, (this.counts.get(digest) ?? 0) + 1);
    this.leftCount++;
  }

  addAfter(digest: string): void {
    const count = this.counts.get(digest) ?? 0;
    if (count === 0) {
      this.addedDigests.push(digest);
      return;
    }
    this.counts.set(digest, count - 1);
    this.sameCount++;
    this.leftCount--;
  }

  get same(): number {
    return this.sameCount;
  }

  get removed(): number {
    return this.leftCount;
  }

  get added(): readonly string[] {
    return this.addedDigests;
  }

  removedDigests(max: number): string[] {
    const found: string[] = [];
    for (const [digest, count] of this.counts) {
      if (found.length >= max) break;
      if (count > 0) found.push(digest);
    }
    return found;
  }
}
