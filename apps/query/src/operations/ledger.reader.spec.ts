import { EQUATIONS } from '@app/queue';
import { millis } from '@app/wire';
import { ledgerResponse } from './ledger.reader.js';

const balanced = { received: 5, settled: 3, pending: 2, isBalanced: true };
const counted = new Map([
  ['acme/a', balanced],
  ['acme/b', { ...balanced, isBalanced: false }],
  ['other/c', balanced],
]);
const nothing = { unbalancedFacts: 0, missingFacts: 0, staleCalls: 0, callsWithOtherUsage: 0 };
const check = {
  ...{ ...nothing, missingFacts: 7 },
  broken: [{ ...nothing, project: 'other/c', missingFacts: 7 }],
  ...{ checkedAt: millis(1000), beganAt: millis(1000), tookMs: 1 },
};
const holds = (scope: string, found: Parameters<typeof ledgerResponse>[2] = check) =>
  ledgerResponse(scope, counted, found).equations.map((one) => one.holds);

describe('the ledger for operators', () => {
  it('names the equations, whether each holds, and the projects that break one', () => {
    const response = ledgerResponse('*', counted, check);

    expect(response).toMatchObject({ projects: 3, received: 15, settled: 9, pending: 6 });
    expect(response.checked_at).toBe('1970-01-01T00:00:01.000Z');
    expect(response.equations.map(({ equation }) => equation)).toEqual([...EQUATIONS]);
    expect(holds('*')).toEqual([false, true, false, true, true]);
    expect(response.broken.map(({ project_id }) => project_id)).toEqual(['acme/b', 'other/c']);
    expect(response.broken[1]).toMatchObject({ received: 5, missing_facts: 7 });
  });

  it('is about the projects of the scope only', () => {
    expect(holds('acme')).toEqual([false, true, true, true, true]);
    expect(holds('acme/a')).toEqual([true, true, true, true, true]);
    expect(holds('other')).toEqual([true, true, false, true, true]);
    expect(ledgerResponse('other', counted, check)).toMatchObject({ projects: 1, received: 5 });
  });

  it('leaves open what no worker has checked yet', () => {
    const unknown = [false, null, null, null, null];
    expect(holds('*', { ...check, checkedAt: millis(0) })).toEqual(unknown);
    expect(ledgerResponse('*', counted, undefined).checked_at).toBeNull();
  });
});
