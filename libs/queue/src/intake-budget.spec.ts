import { WaitingResponses } from './intake-pace.js';
import { IntakeBudget } from './intake-budget.js';

const TARGET_MS = 700;
const SAMPLE_MS = 100;

/** Facts that can be taken one by one, up to a limit. */
function leftOf(budget: IntakeBudget, limit = 100_000): number {
  let facts = 0;
  while (facts < limit && budget.take(1)) facts++;
  return facts;
}

/** A budget that knows workers which store two facts in a millisecond. */
function knownBudget(): IntakeBudget {
  const budget = new IntakeBudget(TARGET_MS);
  for (let at = 0; at <= 2000; at += SAMPLE_MS)
    budget.add({ at, settled: 2 * at, pending: 1000, lagMs: 500 });
  return budget;
}

describe('the budget of facts that clients may send', () => {
  it('has no limit while nothing is known of the workers and nothing is old', () => {
    const budget = new IntakeBudget(TARGET_MS);

    budget.add({ at: 0, settled: 0, pending: 50_000, lagMs: TARGET_MS });

    expect(leftOf(budget)).toBe(100_000);
  });

  it('ends when nothing is known of the workers and facts are too old', () => {
    const budget = new IntakeBudget(TARGET_MS);

    budget.add({ at: 0, settled: 0, pending: 1, lagMs: TARGET_MS + 1 });

    expect(leftOf(budget)).toBe(0);
  });

  it('is smaller with more pending facts, before any of them is old', () => {
    const [few, many] = [500, 2000].map((pending) => {
      const budget = knownBudget();
      budget.add({ at: 2100, settled: 4200, pending, lagMs: 200 });
      return leftOf(budget);
    });

    expect(few).toBe(850);
    expect(many).toBe(100);
  });

  it('does not offer twice what responses have just brought about', () => {
    const budget = knownBudget();
    budget.add({ at: 2100, settled: 4200, pending: 500, lagMs: 200 });
    const taken = leftOf(budget);

    budget.add({ at: 2200, settled: 4400, pending: 500, lagMs: 200 });

    expect(leftOf(budget)).toBeLessThan(taken);
  });

  it('grows while workers have caught up, because they may be faster than they were', () => {
    const budget = knownBudget();
    const offered = [2100, 2200, 2300].map((at) => {
      budget.add({ at, settled: 2 * at, pending: 5000, lagMs: 0 });
      return leftOf(budget);
    });

    expect(offered).toEqual([1000, 2000, 4000]);
  });

  it('has no limit again after a pause', () => {
    const budget = knownBudget();
    budget.add({ at: 2100, settled: 4200, pending: 100_000, lagMs: 600 });
    expect(leftOf(budget)).toBe(0);

    budget.add({ at: 10_000, settled: 104_200, pending: 100, lagMs: 10 });

    expect(leftOf(budget)).toBe(100_000);
  });
});

interface Loop {
  readonly clients: number;
  /** What workers store in a millisecond. */
  readonly factsPerMs: number;
}

const REQUEST_FACTS = 100;
const FLUSH_MS = 200;
/** By then what came in before anything was known of the workers is stored. */
const MEASURED_FROM_MS = 20_000;
const MEASURED_TO_MS = 40_000;

/** Clients that send the next request 50 ms after each response, and workers that flush without a pause. */
async function closedLoop({ clients, factsPerMs }: Loop) {
  const budget = new IntakeBudget(TARGET_MS);
  const responses = new WaitingResponses();
  const queue: number[] = [];
  let due: number[] = Array.from({ length: clients }, (_, i) => i);
  let settled = 0;
  let measured = 0;
  let longest = 0;
  let now = 0;
  const respond = () => due.push(now + 50);
  for (; now < MEASURED_TO_MS; now += 10) {
    const arrived = due.filter((at) => at <= now);
    due = due.filter((at) => at > now);
    if (now % SAMPLE_MS === 0) {
      const pending = queue.length * REQUEST_FACTS;
      const lagMs = queue.length === 0 ? 0 : now - queue[Math.floor(queue.length / 4)]!;
      budget.add({ at: now, settled, pending, lagMs });
      responses.release(now, budget);
      await Promise.resolve();
    }
    for (const _ of arrived) {
      queue.push(now);
      if (responses.size === 0 && budget.take(REQUEST_FACTS)) respond();
      else void responses.add(REQUEST_FACTS, now + 60_000).then(respond);
    }
    if (now % FLUSH_MS !== 0) continue;
    const flushed = queue.splice(0, (factsPerMs * FLUSH_MS) / REQUEST_FACTS);
    settled += flushed.length * REQUEST_FACTS;
    if (now < MEASURED_FROM_MS) continue;
    measured += flushed.length * REQUEST_FACTS;
    for (const at of flushed) longest = Math.max(longest, now - at);
  }
  const possible = factsPerMs * (MEASURED_TO_MS - MEASURED_FROM_MS);
  return { used: measured / possible, longest };
}

describe('clients that wait for responses', () => {
  it.each([
    { clients: 16, factsPerMs: 5 },
    { clients: 64, factsPerMs: 5 },
    { clients: 64, factsPerMs: 25 },
    { clients: 256, factsPerMs: 5 },
    { clients: 256, factsPerMs: 100 },
  ])(
    'keep workers busy and the queue short: $clients clients, $factsPerMs facts per ms',
    async (loop) => {
      const { used, longest } = await closedLoop(loop);

      expect(used).toBeGreaterThan(0.95);
      expect(longest).toBeLessThan(2 * TARGET_MS);
    },
  );
});
