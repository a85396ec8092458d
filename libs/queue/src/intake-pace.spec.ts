import { WaitingResponses } from './intake-pace.js';

/** Adds responses with these times and records which were sent. */
function waiting(...latest: number[]) {
  const responses = new WaitingResponses();
  const sent: number[] = [];
  for (const at of latest) void responses.add(at).then(() => sent.push(at));
  return { responses, sent };
}

describe('responses that wait for workers', () => {
  it('wait while workers are behind, until their time has come', async () => {
    const { responses, sent } = waiting(10, 20, 30);

    responses.release(5, false);
    await Promise.resolve();
    expect(sent).toEqual([]);
    responses.release(20, false);
    await Promise.resolve();

    expect(sent).toEqual([10, 20]);
    expect(responses.size).toBe(1);
  });

  it('are sent in parts when workers have caught up, those that wait longest first', async () => {
    const { responses, sent } = waiting(...Array.from({ length: 75 }, (_, i) => 100 + i));

    responses.release(0, true);
    await Promise.resolve();
    expect(sent).toEqual([100, 101, 102, 103, 104, 105, 106, 107]);
    for (let i = 0; i < 40; i++) responses.release(0, true);
    await Promise.resolve();

    expect(sent).toHaveLength(75);
  });
});
