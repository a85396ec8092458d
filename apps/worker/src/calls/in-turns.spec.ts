import { groupsInTurns, mapInTurns } from './in-turns.js';

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i);

describe('a long list', () => {
  it('is mapped in order while the event loop does other work', async () => {
    let turns = 0;
    const timer = setInterval(() => turns++, 0);
    const mapped = await mapInTurns(numbers(1000), 1, (n) => n * 2);
    clearInterval(timer);

    expect(mapped).toEqual(numbers(1000).map((n) => n * 2));
    expect(turns).toBeGreaterThan(0);
  });

  it('is mapped in groups of limited size, each after its predecessor was consumed', async () => {
    const begun: number[] = [];
    const work = (n: number) => (begun.push(n), n);
    const limits = { perTurn: 2, maxBytes: 10, bytesOf: (n: number) => (n === 3 ? 25 : 4) };
    const seen: unknown[] = [];
    for await (const group of groupsInTurns(numbers(8), work, limits))
      seen.push([group, begun.length]);

    expect(seen).toEqual([
      [[0, 1, 2], 3],
      [[3], 4],
      [[4, 5, 6], 7],
      [[7], 8],
    ]);
    for await (const group of groupsInTurns([], work, limits)) seen.push(group);
    expect(seen).toHaveLength(4);
  });
});
