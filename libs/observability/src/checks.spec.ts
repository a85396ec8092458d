import { jest } from '@jest/globals';
import { runChecks, type Check } from './checks.js';

const aCheck = (name: string, problem: Check['problem']): Check => ({ name, problem });
const healthy = aCheck('redis', async () => undefined);

describe('the health of a process', () => {
  it('is ready when every check passes', async () => {
    expect(await runChecks([healthy])).toEqual({ ready: true, checks: { redis: 'ok' } });
    expect(await runChecks([])).toEqual({ ready: true, checks: {} });
  });

  it('reports the problem of each failed check by name', async () => {
    const unhealthy = aCheck('store', async () => 'ClickHouse unavailable');

    expect(await runChecks([healthy, unhealthy])).toEqual({
      ready: false,
      checks: { redis: 'ok', store: 'ClickHouse unavailable' },
    });
  });

  it('stays ready when only an advisory check reports a problem', async () => {
    const advisory = { ...aCheck('memory', async () => 'almost full'), isAdvisory: true };

    expect(await runChecks([healthy, advisory])).toEqual({
      ready: true,
      checks: { redis: 'ok', memory: 'almost full' },
    });
  });

  it('counts a check that throws as failed', async () => {
    const rejects = aCheck('a', () => Promise.reject(new Error('connection refused')));
    const throws = aCheck('b', () => {
      throw new Error('not even a promise');
    });

    expect(await runChecks([rejects, throws])).toEqual({
      ready: false,
      checks: { a: 'connection refused', b: 'not even a promise' },
    });
  });

  it('waits at most three seconds, for all checks in parallel', async () => {
    jest.useFakeTimers();
    const hangs = (name: string) => aCheck(name, () => new Promise(() => undefined));

    const health = runChecks([hangs('a'), hangs('b'), healthy]);
    await jest.advanceTimersByTimeAsync(3000);

    expect(await health).toEqual({
      ready: false,
      checks: { a: 'timed out', b: 'timed out', redis: 'ok' },
    });
    jest.useRealTimers();
  });
});
