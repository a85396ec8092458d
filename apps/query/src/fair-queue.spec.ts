import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { FairQueue } from './fair-queue.js';

const clients = new Set<AbortController>();
/** Ends the statements that still wait. */
afterEach(() => clients.forEach((client) => client.abort()));

function aSignal(): AbortSignal {
  const client = new AbortController();
  clients.add(client);
  return client.signal;
}

/** A queue, and the names of the statements in the order in which they started. */
function aQueue(capacity: number, maxWaitMs = 10_000) {
  const queue = new FairQueue({ capacity, maxWaitMs });
  const started: string[] = [];
  const releases = new Map<string, () => void>();
  const add = async (name: string, subjects: string[], cost = 1, signal = aSignal()) => {
    const tenants = subjects.filter((one) => one.startsWith('of '));
    const others = subjects.filter((one) => !tenants.includes(one));
    releases.set(name, await queue.acquire({ tenants, subjects: others, cost, signal }));
    started.push(name);
  };
  const addLater = (...given: Parameters<typeof add>) => void add(...given).catch(() => undefined);
  const end = async (name: string) => {
    releases.get(name)!();
    await turn();
  };
  return { add, addLater, end, started };
}

describe('a fair queue', () => {
  it('lets a key or a project use half of the capacity, and another one starts at once', async () => {
    const { addLater, started } = aQueue(4);
    for (const name of ['a', 'b', 'c']) addLater(name, ['key k', 'project p']);
    addLater('same project', ['key l', 'project p']);
    addLater('other', ['key m', 'project q']);
    await turn();

    expect(started).toEqual(['a', 'b', 'other']);
  });

  it('lets a tenant with many keys and projects use three quarters of the capacity', async () => {
    const { addLater, end, started } = aQueue(8);
    for (let i = 0; i < 9; i++) addLater(`${i}`, ['of acme', `key ${i}`, `project acme/${i}`]);
    addLater('other', ['of other', 'key o', 'project other/p']);
    await turn();
    expect(started).toEqual(['0', '1', '2', '3', '4', '5', 'other']);
    addLater('other again', ['of other', 'key o', 'project other/p']);
    addLater('third', ['of other', 'key o', 'project other/p']);
    await end('0');

    expect(started.slice(7)).toEqual(['other again', '6']);
  });

  it('starts the statement of the one that has used least, and counts what statements cost', async () => {
    const { addLater, end, started } = aQueue(4);
    addLater('first', ['k'], 2);
    addLater('second', ['l']);
    addLater('third', ['m']);
    addLater('k again', ['k']);
    addLater('l again', ['l']);
    addLater('new', ['n']);
    await turn();
    expect(started).toEqual(['first', 'second', 'third']);
    await end('first');

    expect(started.slice(3)).toEqual(['new', 'l again']);
  });

  it('refuses a statement that has waited too long, and says when to retry', async () => {
    const { add, addLater, started } = aQueue(2, 20);
    addLater('running', ['k']);

    await expect(add('waiting', ['k'])).rejects.toMatchObject({
      code: 'reads_busy',
      retryAfterSeconds: 2,
    });
    expect(started).toEqual(['running']);
  });

  it('forgets a statement whose client disconnects while it waits', async () => {
    const { add, addLater, end, started } = aQueue(2);
    const gone = new AbortController();
    addLater('running', ['k']);
    const waiting = add('waiting', ['k'], 1, gone.signal);
    addLater('next', ['k']);
    gone.abort();

    await expect(waiting).rejects.toMatchObject({
      code: 'reads_busy',
      message: expect.stringContaining('disconnected') as string,
    });
    await end('running');
    expect(started).toEqual(['running', 'next']);
    await expect(add('late', ['k'], 1, AbortSignal.abort())).rejects.toThrow(/abort/);
  });

  it('never runs more than its capacity, and every statement gets its turn', async () => {
    const statement = fc.record({
      key: fc.constantFrom('k', 'l', 'm'),
      project: fc.constantFrom('p', 'q'),
      cost: fc.integer({ min: 1, max: 9 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(statement, { maxLength: 30 }), async (statements) => {
        const queue = new FairQueue({ capacity: 8, maxWaitMs: 10_000 });
        let running = 0;
        const execute = async ({ key, project, cost }: (typeof statements)[number]) => {
          const subjects = [`key ${key}`, `project ${project}`];
          const release = await queue.acquire({
            tenants: [key],
            subjects,
            cost,
            signal: aSignal(),
          });
          running += Math.min(cost, 4);
          expect(running).toBeLessThanOrEqual(8);
          await turn();
          running -= Math.min(cost, 4);
          release();
        };
        await Promise.all(statements.map(execute));
        expect(running).toBe(0);
      }),
    );
  });
});
