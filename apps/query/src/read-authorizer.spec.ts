import type { QueryConfig } from '@app/config';
import type { PendingWrites } from '@app/queue';
import {
  RateLimitedError,
  type ConcurrencyLimit,
  type ConcurrencyLimiter,
  type ProjectRates,
} from '@app/redis';
import { ReadAuthorizer } from './read-authorizer.js';
import type { IncomingRead, ReadContext } from './read-context.js';

const principal = { user: 'ann', role: 'read', scope: 'acme', keyId: 'k1' } as const;

/** An authorizer whose queue has these chunks pending per project, and everything it did, in order. */
function anAuthorizer(pending: Readonly<Record<string, number>> = {}, isFull = false) {
  const steps: string[] = [];
  const closing: (() => void)[] = [];
  const rates = { consume: async (project: string) => void steps.push(`count ${project}`) };
  const concurrency = {
    acquire: async (slots: readonly ConcurrencyLimit[]) => {
      if (isFull) throw new RateLimitedError('This key has 2 queries in progress.', 1);
      steps.push(`acquire ${slots.map(({ of, who }) => `${of} ${who}`).join(', ')}`);
      return () => void steps.push('release');
    },
  };
  const pendingWrites = {
    since: async (project: string, user: string) => {
      steps.push(`look for writes of ${user} in ${project}`);
      const settled = async () => {
        steps.push(`wait for ${project}`);
        return pending[project] ?? 0;
      };
      return { settled };
    },
  };
  const authorizer = new ReadAuthorizer(
    rates as unknown as ProjectRates,
    concurrency as unknown as ConcurrencyLimiter,
    pendingWrites as unknown as PendingWrites,
    { readWaitMs: 1 } as QueryConfig,
  );
  const read = (fields: Partial<IncomingRead> = {}): IncomingRead => ({
    principal,
    isEventual: false,
    reportPending: (chunks) => void steps.push(`report ${chunks}`),
    signal: new AbortController().signal,
    onClose: (action) => void closing.push(action),
    explanations: undefined,
    ...fields,
  });
  return { authorizer, read, steps, close: () => closing.forEach((action) => action()) };
}

describe('authorizing a read', () => {
  it('refuses a project out of scope before it counts, limits or waits', async () => {
    const { authorizer, read, steps } = anAuthorizer();

    await expect(authorizer.authorizeRead(read(), 'acme/demo', 'other/demo')).rejects.toThrow();

    expect(steps).toEqual([]);
  });

  it('applies the limits, waits for own writes, and releases its slots when the connection closes', async () => {
    const { authorizer, read, steps, close } = anAuthorizer();

    const context = await authorizer.authorizeRead(read(), 'acme/a', 'acme/b');
    close();

    expect(context).toMatchObject({ principal, projectIds: ['acme/a', 'acme/b'] });
    expect(steps).toEqual([
      'count acme/a',
      'count acme/b',
      'look for writes of ann in acme/a',
      'look for writes of ann in acme/b',
      'acquire key k1, project acme/a, project acme/b',
      'wait for acme/a',
      'wait for acme/b',
      'release',
    ]);
  });

  it('does not let a read wait that a limit refuses', async () => {
    const { authorizer, read, steps } = anAuthorizer({ 'acme/a': 1 }, true);

    await expect(authorizer.authorizeRead(read(), 'acme/a')).rejects.toThrow(/in progress/);

    expect(steps).toEqual(['count acme/a', 'look for writes of ann in acme/a']);
  });

  it('reports the chunks that are still pending after the wait', async () => {
    const { authorizer, read, steps } = anAuthorizer({ 'acme/a': 3, 'acme/b': 2 });

    await authorizer.authorizeRead(read(), 'acme/a', 'acme/b');

    expect(steps.at(-1)).toBe('report 5');
  });

  it('waits for nothing when the client accepts an eventual response', async () => {
    const { authorizer, read, steps } = anAuthorizer({ 'acme/a': 3 });

    await authorizer.authorizeRead(read({ isEventual: true }), 'acme/a');

    expect(steps).toEqual(['count acme/a', 'acquire key k1, project acme/a']);
  });

  it('is required by the types: an incoming read is not a context', () => {
    const { read } = anAuthorizer();
    // @ts-expect-error Queries need a ReadContext, which only authorizeRead() makes.
    const context: ReadContext = read();

    expect(context).not.toHaveProperty('projectIds');
  });
});
