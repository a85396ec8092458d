import { DELETED_VERSION, type CallRow } from '@app/clickhouse';
import { distinct, itemOf, type CallFact, type CallItem } from '@app/events';
import { blankRow, callRow, placementOf, type Placement } from './call-columns.js';
import { withEffect } from './call-owner.js';

/**
 * Folds the set of a call's facts into its rows. Order, repetition and grouping of the facts do not matter. The version is
 * the number of distinct facts, so of two rows the one folded from more facts wins. A call without a start has no row. Facts
 * that take no effect count only in the version, and hide the call at their placements.
 *
 * The call's row has the placement of the newest start; blank rows of the same version hide the call at every other
 * placement. The call's row comes last: placements that differ only in the trace share a sorting key, and of equal versions
 * ClickHouse keeps the last.
 */
export function foldCall(facts: readonly CallFact[]): CallRow[] {
  const known = distinct(facts);
  const effective = withEffect(known);
  const winner = effective.findLast(hasStart);
  if (winner === undefined) return [];

  const isDeleted = effective.some(({ kind }) => kind === 'delete');
  const version = BigInt(known.length) + (isDeleted ? DELETED_VERSION : 0n);
  const placement = placementOf(winner);
  const elsewhere = otherPlacements(known, placement).map((place) =>
    blankRow(winner, place, version),
  );
  if (isDeleted) return [blankRow(winner, placement, version), ...elsewhere];

  const end = effective.findLast(hasEnd);
  const name = displayName(winner, end, effective);
  return [...elsewhere, callRow(winner, placement, end, name, version)];
}

const hasStart = ({ kind }: CallFact) => kind === 'start' || kind === 'complete';
const hasEnd = ({ kind }: CallFact) => kind === 'end' || kind === 'complete';

function otherPlacements(facts: readonly CallFact[], winner: Placement): Placement[] {
  const starts = facts.filter(hasStart);
  if (starts.length === 1) return [];
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
  const rename = facts.findLast(({ kind }) => kind === 'rename');
  if (rename !== undefined) return nameIn(itemOf(rename));
  const atEnd = end === undefined ? '' : nameIn(itemOf(end));
  return atEnd || nameIn(itemOf(start));
}

function nameIn(item: CallItem): string {
  const name = item['display_name'];
  return typeof name === 'string' ? name : '';
}
