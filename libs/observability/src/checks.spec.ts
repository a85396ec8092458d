import { jest } from '@jest/globals';
import { runChecks, type Check } from './checks.js';

const aCheck = (name: string, problem: Check['problem']): Check => ({ name, problem });
const well = aCheck('redis', async () => undefined);

describe('the health of a process', () => {
  it('is ready when every check is well', async () => {
    expect(await runChecks([well])).toEqual({ ready: true, checks: { redis: 'ok' } });
    expect(await runChecks([])).toEqual({ ready: true, checks: {} });
  });

  it('says what is wrong, by name', async () => {
    const ill = aCheck('store', async () => 'ClickHouse does not answer');

    expect(await runChecks([well, ill])).toEqual({
      ready: false,
      checks: { redis: 'ok', store: 'ClickHouse does not answer' },
    });
  });

  it('takes a check that throws as one that failed', async () => {
    const rejects = aCheck('a', () => Promise.reject(new Error('connection refused')));
    const throws = aCheck('b', () => {
      throw new Error('not even a promise');
    });

    expect(await runChecks([rejects, throws])).toEqual({
      ready: false,
      checks: { a: 'connection refused', b: 'not even a promise' },
    });
  });

  it('waits three seconds for one that hangs, and for all of them at once', async () => {
    jest.useFakeTimers();
    const hangs = (name: string) => aCheck(name, () => new Promise(() => undefined));

    const health = runChecks([hangs('a'), hangs('b'), well]);
    await jest.advanceTimersByTimeAsync(3000);

    expect(await health).toEqual({
      ready: false,
      checks: { a: 'does not answer', b: 'does not answer', redis: 'ok' },
    });
    jest.useRealTimers();
  });
});
