import { createHash } from 'node:crypto';

/** ClickHouse plans about this much text while it executes a lookup. */
const CHARACTERS = 4096;
/** A statement that took this long is as expensive as one more lookup. */
const MS = 250;
/** Functions in a WITH clause parse payloads. */
const PARSING_COST = 4;
const REMEMBERED_MAX = 2000;

/**
 * Estimates the cost of a statement: from its text, because planning takes longer the longer it is, and from the time
 * that a statement with the same text took for the same projects. Texts of statements have no values of a request.
 */
export class StatementCosts {
  private readonly ms = new Map<string, number>();

  estimate(query: string, shape: string): number {
    const parsing = query.startsWith('WITH') ? PARSING_COST : 0;
    const remembered = Math.floor((this.ms.get(shape) ?? 0) / MS);
    return 1 + Math.max(Math.floor(query.length / CHARACTERS) + parsing, remembered);
  }

  /** Half of the estimate is the last duration. The statements used last are remembered. */
  remember(shape: string, ms: number): void {
    const before = this.ms.get(shape) ?? ms;
    this.ms.delete(shape);
    this.ms.set(shape, (before + ms) / 2);
    if (this.ms.size > REMEMBERED_MAX) this.ms.delete(this.ms.keys().next().value!);
  }
}

/** Names the statements of some projects that differ only in their values. */
export const shapeOf = (query: string, projectIds: readonly string[]): string =>
  createHash('sha1').update(projectIds.join(' ')).update('\n').update(query).digest('base64');
