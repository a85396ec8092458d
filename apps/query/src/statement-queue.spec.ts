import { setImmediate as turn } from 'node:timers/promises';
import { readConfig } from '@app/config';
import type { ReadContext } from './read-context.js';
import { StatementQueue } from './statement-queue.js';

const LOOKUP = 'SELECT 1 FROM calls WHERE id = {p0:String}';
const PARSING = `WITH\n  x -> x AS json_raw\n${LOOKUP}`;

const aQueue = () => new StatementQueue(readConfig({ QUERY_MAX_STATEMENTS: '8' }).query);

const clients = new AbortController();
/** Ends the statements that still wait. */
afterAll(() => clients.abort());

const aContext = (keyId: string, projectId = keyId) =>
  ({
    principal: { keyId },
    projectIds: [projectId],
    signal: AbortSignal.any([clients.signal]),
  }) as unknown as ReadContext;

/** Whether the statement runs at once. */
async function runs(queue: StatementQueue, query: string, context: ReadContext): Promise<boolean> {
  let hasBegun = false;
  void queue.begin(query, context).then(
    () => (hasBegun = true),
    () => undefined,
  );
  await turn();
  return hasBegun;
}

describe('the queue of statements', () => {
  it('lets a lookup run while expensive statements have all their places', async () => {
    const queue = aQueue();
    expect(await runs(queue, PARSING, aContext('a'))).toBe(true);
    expect(await runs(queue, PARSING, aContext('b'))).toBe(true);
    expect(await runs(queue, PARSING, aContext('c'))).toBe(false);

    expect(await runs(queue, LOOKUP, aContext('c'))).toBe(true);
    expect(await runs(queue, LOOKUP, aContext('a'))).toBe(true);
  });

  it('lets a request with a place execute further statements, and frees the place after the last', async () => {
    const queue = aQueue();
    const [first, other] = [aContext('a'), aContext('a')];
    const outer = await queue.begin(PARSING, first);
    const inner = await queue.begin(PARSING, first);
    const waiting = queue.begin(PARSING, other);
    outer.end(1);
    expect(await Promise.race([waiting, turn('waits')])).toBe('waits');
    inner.end(1);

    await expect(waiting).resolves.toBeDefined();
  });

  it('counts a statement that took long as an expensive one, for the same project only', async () => {
    const queue = aQueue();
    (await queue.begin(LOOKUP, aContext('a', 'slow'))).end(5000);
    await queue.begin(PARSING, aContext('b'));
    await queue.begin(PARSING, aContext('c'));

    expect(await runs(queue, LOOKUP, aContext('a', 'slow'))).toBe(false);
    expect(await runs(queue, LOOKUP, aContext('a', 'fast'))).toBe(true);
  });

  it('keeps a lookup among lookups when others make it slow, and not what is slow by itself', async () => {
    const queue = aQueue();
    const endAfter = async (projectId: string, times: readonly number[]) => {
      for (const ms of times) (await queue.begin(LOOKUP, aContext('a', projectId))).end(ms);
    };
    await endAfter('delayed', [5, ...Array<number[]>(20).fill([300, 8, 90, 12]).flat(), 300]);
    await endAfter('slow', [60, 70, 80]);
    await endAfter('mixed', [300, ...Array<number[]>(20).fill([8, 300, 300, 300]).flat()]);
    // These have all places of statements that are no lookups.
    await queue.begin(PARSING, aContext('b'));
    await queue.begin(PARSING, aContext('c'));

    expect(await runs(queue, LOOKUP, aContext('a', 'delayed'))).toBe(true);
    expect(await runs(queue, LOOKUP, aContext('a', 'slow'))).toBe(false);
    expect(await runs(queue, LOOKUP, aContext('a', 'mixed'))).toBe(false);
  });

  it('lets one key have half of the places for lookups', async () => {
    const queue = aQueue();
    for (let n = 0; n < 4; n++) expect(await runs(queue, LOOKUP, aContext('a'))).toBe(true);
    expect(await runs(queue, LOOKUP, aContext('a'))).toBe(false);
    expect(await runs(queue, LOOKUP, aContext('b'))).toBe(true);
  });
});
