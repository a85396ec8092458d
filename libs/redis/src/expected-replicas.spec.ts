import { ExpectedReplicas } from './expected-replicas.js';

describe('the replicas that a master should have', () => {
  it('are those that it had in the last 15 seconds', () => {
    const replicas = new ExpectedReplicas();
    replicas.note('a', 2, 1000);
    replicas.note('a', 1, 2000);
    expect(replicas.isMissing(1)).toBe(true);
    expect(replicas.isMissing(2)).toBe(false);

    replicas.note('a', 1, 15_999);
    expect(replicas.isMissing(1)).toBe(true);
    replicas.note('a', 1, 16_000);
    expect(replicas.isMissing(1)).toBe(false);
    expect(replicas.isMissing(0)).toBe(true);
  });

  it('are more as soon as another one follows', () => {
    const replicas = new ExpectedReplicas();
    replicas.note('a', 0, 1000);
    expect(replicas.isMissing(0)).toBe(false);
    replicas.note('a', 1, 1100);
    expect(replicas.isMissing(0)).toBe(true);
  });

  it('are those of the new master after a fail-over', () => {
    const replicas = new ExpectedReplicas();
    replicas.note('a', 2, 1000);
    replicas.note('b', 0, 1100);
    expect(replicas.isMissing(0)).toBe(false);
  });
});
