import { depthFirst, type TraceCall } from './trace-tree.js';

const aCall = (id: string, parent_id = '') => ({ id, parent_id }) as TraceCall;
const ordered = (calls: TraceCall[]) => depthFirst(calls, { next: () => undefined });
const shown = async (calls: TraceCall[]) =>
  (await ordered(calls)).map(({ call, parent }) => `${call.id} ${parent}`);

describe('the depth-first order of a trace', () => {
  it('has the children after their parent, in the given order', async () => {
    const calls = [aCall('a'), aCall('b', 'a'), aCall('c', 'a'), aCall('d', 'b'), aCall('e', 'c')];

    expect(await shown(calls)).toEqual(['a -1', 'b 0', 'd 1', 'c 0', 'e 3']);
  });

  it('has a call without its parent as a root', async () => {
    expect(await shown([aCall('b', 'lost'), aCall('a')])).toEqual(['b -1', 'a -1']);
  });

  it('has every call of a circle once', async () => {
    expect(
      await shown([aCall('a', 'c'), aCall('b', 'a'), aCall('c', 'b'), aCall('d', 'd')]),
    ).toEqual(['a -1', 'b 0', 'c 1', 'd -1']);
  });

  it('has a chain of a hundred thousand calls', async () => {
    const chain = Array.from({ length: 100_000 }, (_, i) =>
      aCall(`${i}`, i === 0 ? '' : `${i - 1}`),
    );

    expect((await ordered(chain)).at(-1)).toMatchObject({ parent: 99_998 });
  });

  it('lets other requests run while it orders many calls', async () => {
    const calls = Array.from({ length: 10_000 }, (_, i) => aCall(`${i}`, i === 0 ? '' : '0'));
    let pauses = 0;
    const next = () => {
      pauses++;
      return undefined;
    };
    const nodes = await depthFirst(calls, { next });

    expect(nodes.map(({ call }) => call)).toEqual(calls);
    expect(pauses).toBeGreaterThanOrEqual(30);
  });
});
