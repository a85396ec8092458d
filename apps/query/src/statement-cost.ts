import { hash } from 'node:crypto';

/** ClickHouse plans about this much text while it executes a lookup. */
const CHARACTERS = 4096;
/** A statement that takes this long is as expensive as one more lookup. */
const MS = 250;
/** A statement that takes longer is not a lookup. */
const LOOKUP_MAX_MS = 50;
/** What is remembered rises by this factor at most, and falls by its square. */
const STEP = 1.25;
/** Functions in a WITH clause parse payloads. */
const PARSING_COST = 4;
const REMEMBERED_MAX = 2000;

export interface StatementCost {
  /** At least 1. */
  readonly cost: number;
  readonly isLookup: boolean;
}

/**
 * Estimates the cost of a statement: from its text, because planning takes longer the longer it is, and from the time
 * that statements with the same text took for the same projects. Texts of statements have no values of a request.
 */
export class StatementCosts {
  private readonly ms = new Map<string, number>();

  estimate(query: string, shape: string): StatementCost {
    const ms = this.ms.get(shape) ?? 0;
    const parsing = query.startsWith('WITH') ? PARSING_COST : 0;
    const planning = Math.floor(query.length / CHARACTERS) + parsing;
    const cost = 1 + Math.max(planning, Math.floor(ms / MS));
    return { cost, isLookup: cost === 1 && ms < LOOKUP_MAX_MS };
  }

  /**
   * A lookup beside expensive statements of others is slow and remains a lookup, so what is remembered falls faster than it rises: a
   * third of the executions is faster. One fast execution does not hide many slow ones. The statements used last are remembered.
   */
  remember(shape: string, ms: number): void {
    const before = this.ms.get(shape) ?? ms;
    this.ms.delete(shape);
    this.ms.set(shape, Math.min(Math.max(ms, before / STEP ** 2), before * STEP + 1));
    if (this.ms.size > REMEMBERED_MAX) this.ms.delete(this.ms.keys().next().value!);
  }
}

/** Names the statements of some projects that differ only in their values. */
export const shapeOf = (query: string, projectIds: readonly string[]): string =>
  hash('sha1', `${projectIds.join(' ')}\n${query}`, 'base64');
