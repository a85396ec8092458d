import { DELETED_VERSION, type CallRow } from '@app/clickhouse';
import { byReceipt, factId, itemOf, type CallFact, type CallItem } from '@app/events';
import { blankRow, callRow, placementOf, type Placement } from './call-columns.js';

/**
 * Folds the set of a call's facts into its rows. Order, repetition and grouping of the facts do not matter. The version is
 * the number of distinct facts, so of two rows the one folded from more facts wins. A call without a start has no row.
 *
 * The call's row has the placement of the newest start; blank rows of the same version hide the call at every other
 * placement. The call's row comes last: placements that differ only in the trace share a sorting key, and of equal versions
 * ClickHouse keeps the last.
 */
export function foldCall(facts: readonly CallFact[]): CallRow[] {
  const known = distinct(facts);
  const starts = known.filter(hasStart);
  const winner = starts.at(-1);
  if (winner === undefined) return [];

  const isDeleted = known.some(({ kind }) => kind === 'delete');
  const version = BigInt(known.length) + (isDeleted ? DELETED_VERSION : 0n);
  const placement = placementOf(winner);
  const elsewhere =
    starts.length === 1
      ? []
      : otherPlacements(starts, placement).map((place) => blankRow(winner, place, version));
  if (isDeleted) return [blankRow(winner, placement, version), ...elsewhere];

  const end = known.filter(hasEnd).at(-1);
  return [...elsewhere, callRow(winner, placement, end, displayName(winner, end, known), version)];
}

/** One fact per id, the one received first, ordered by time of receipt. */
export function distinct(facts: readonly CallFact[]): CallFact[] {
  const first = new Map<string, CallFact>();
  for (const fact of facts) {
    const id = factId(fact);
    const known = first.get(id);
    if (known === undefined || byReceipt(fact, known) < 0) first.set(id, fact);
  }
  return [...first]
    .sort(([aId, a], [bId, b]) => byReceipt(a, b) || (aId < bId ? -1 : 1))
    .map(([, fact]) => fact);
}

const hasStart = ({ kind }: CallFact) => kind === 'start' || kind === 'complete';
const hasEnd = ({ kind }: CallFact) => kind === 'end' || kind === 'complete';

function otherPlacements(starts: readonly CallFact[], winner: Placement): Placement[] {
  const key = ({ traceId, startedAt }: Placement) => JSON.stringify([traceId, startedAt]);
  const others = new Map(starts.map(placementOf).map((place) => [key(place), place]));
  others.delete(key(winner));
  return [...others.values()];
}

/** The newest rename (an empty one resets the name), else the name in the end, else the name in the start. */
function displayName(
  start: CallFact,
  end: CallFact | undefined,
  facts: readonly CallFact[],
): string {
  const rename = facts.filter(({ kind }) => kind === 'rename').at(-1);
  if (rename !== undefined) return nameIn(itemOf(rename));
  const atEnd = end === undefined ? '' : nameIn(itemOf(end));
  return atEnd || nameIn(itemOf(start));
}

function nameIn(item: CallItem): string {
  const name = item['display_name'];
  return typeof name === 'string' ? name : '';
}
