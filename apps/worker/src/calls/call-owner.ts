import { distinct, factId, type CallFact } from '@app/events';

type Facts = readonly CallFact[];

/**
 * The facts that take effect, of the distinct facts of a call by time of receipt. The owner of a call is the user of its
 * first start. A fact of a key that only adds takes no effect on the call of another user. Before its first start a call has
 * neither owner nor row, so an end that arrives first cannot take it over. A delete always takes effect: no key that only adds
 * can send one, and a call that was hidden must stay hidden.
 */
export function withEffect(known: Facts): Facts {
  return areOfOneUser(known) ? known : known.filter(takesEffect(known));
}

function takesEffect(known: Facts): (fact: CallFact) => boolean {
  const owner = known.find(hasStart)?.userId;
  return ({ kind, addsOnly, userId }) =>
    !addsOnly || kind === 'delete' || owner === undefined || userId === owner;
}

/**
 * The facts that take no effect and have to be dead-lettered by a flush that brought `own`: those of `own`, and those that lost
 * their effect by an earlier start in `own`. Of any two snapshots of a call one contains the other, so a flush finds each.
 */
export function withoutEffect(facts: Facts, own: Facts = facts): CallFact[] {
  if (areOfOneUser(facts)) return [];
  const known = distinct(facts);
  const hasEffect = takesEffect(known);
  const ineffective = known.filter((fact) => !hasEffect(fact));
  if (ineffective.length === 0) return [];
  const brought = new Set(own.map(factId));
  const hadEffect = takesEffect(known.filter((fact) => !brought.has(factId(fact))));
  return ineffective.filter((fact) => brought.has(factId(fact)) || hadEffect(fact));
}

/** The facts of `own` that replace what another user has sent: a start after another start, an end after another end. */
export function overwrites(facts: Facts, own: Facts): CallFact[] {
  if (areOfOneUser(facts)) return [];
  const known = distinct(facts);
  // Those of the log do not have their origin.
  const brought = new Map(own.map((fact) => [factId(fact), fact]));
  const last: { start?: string; end?: string } = {};
  return withEffect(known).flatMap((fact) => {
    const { userId } = fact;
    const replacesStart = hasStart(fact) && (last.start ?? userId) !== userId;
    const replacesEnd = hasEnd(fact) && (last.end ?? userId) !== userId;
    if (hasStart(fact)) last.start = userId;
    if (hasEnd(fact)) last.end = userId;
    return replacesStart || replacesEnd ? (brought.get(factId(fact)) ?? []) : [];
  });
}

const areOfOneUser = (facts: Facts) => facts.every(({ userId }) => userId === facts[0]!.userId);
const hasStart = ({ kind }: CallFact) => kind === 'start' || kind === 'complete';
const hasEnd = ({ kind }: CallFact) => kind === 'end' || kind === 'complete';
