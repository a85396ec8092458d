import { WaitingResponses } from './intake-pace.js';

/** Adds responses to requests of ten facts with these times, and records which were sent. */
function waiting(...latest: number[]) {
  const responses = new WaitingResponses();
  const sent: number[] = [];
  for (const at of latest) void responses.add(10, at).then(() => sent.push(at));
  return { responses, sent };
}

/** A budget of a number of facts. */
function budgetFor(facts: number) {
  let left = facts;
  const expect = (taken: number) => (left -= taken);
  return { expect, take: (taken: number) => left > 0 && (expect(taken), true), left: () => left };
}

describe('responses that wait for workers', () => {
  it('wait while the budget is used up, until their time has come', async () => {
    const { responses, sent } = waiting(10, 20, 30);

    responses.release(5, budgetFor(0));
    await Promise.resolve();
    expect(sent).toEqual([]);
    const budget = budgetFor(0);
    responses.release(20, budget);
    await Promise.resolve();

    expect(sent).toEqual([10, 20]);
    expect(responses.size).toBe(1);
    expect(budget.left()).toBe(-20);
  });

  it('are sent in the order in which they came, while the budget allows the next requests', async () => {
    const { responses, sent } = waiting(100, 101, 102, 103);

    responses.release(0, budgetFor(25));
    await Promise.resolve();

    expect(sent).toEqual([100, 101, 102]);
    expect(responses.size).toBe(1);
  });
});
