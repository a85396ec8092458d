import type { Redis } from 'ioredis';
import type { Logger } from '@app/observability';
import { durabilityCheck, requireDurable, weaknessesOf } from './redis-durability.js';

const SAFE = {
  appendonly: 'yes',
  appendfsync: 'always',
  maxmemory: '1000',
  'maxmemory-policy': 'noeviction',
};
const weaknesses = (fields: Partial<typeof SAFE> = {}) =>
  weaknessesOf(new Map(Object.entries({ ...SAFE, ...fields })));

describe('a Redis that could forget what it has acknowledged', () => {
  it.each([
    [{ appendonly: 'no' }, 'appendonly is no instead of yes'],
    [{ appendfsync: 'everysec' }, 'appendfsync is everysec instead of always'],
    [
      { 'maxmemory-policy': 'allkeys-lru' },
      'maxmemory-policy is allkeys-lru instead of noeviction',
    ],
    [
      { 'maxmemory-policy': 'volatile-ttl' },
      'maxmemory-policy is volatile-ttl instead of noeviction',
    ],
  ])('is known by %j', (fields, weakness) => {
    expect(weaknesses(fields)).toEqual([weakness]);
  });

  it('has all its weaknesses told at once', () => {
    const all = { appendonly: 'no', appendfsync: 'no', 'maxmemory-policy': 'allkeys-lru' };
    expect(weaknesses(all)).toHaveLength(3);
  });

  it('is none that fsyncs and evicts nothing', () => {
    expect(weaknesses()).toEqual([]);
    expect(weaknesses({ maxmemory: '0', 'maxmemory-policy': 'allkeys-lru' })).toEqual([]);
  });
});

describe('a Redis that tells only some of its settings', () => {
  const STRICT = { allowNonDurable: false };

  /** Answers CONFIG GET, with what it likes to tell. */
  const telling = (told: Readonly<Record<string, string>>) =>
    ({
      status: 'ready',
      on: () => undefined,
      config: (_: string, names: string) =>
        Promise.resolve(
          Object.entries(told)
            .filter(([name]) => name.startsWith(names.replace('*', '')))
            .flat(),
        ),
    }) as unknown as Redis;

  async function seen(redis: Redis) {
    const said: string[] = [];
    const note = (level: string) => (text: string) => void said.push(`${level}: ${text}`);
    const logger = { warn: note('warn'), error: note('error'), debug: note('debug') };
    const check = durabilityCheck(redis, STRICT, logger as unknown as Logger);
    const problem = await check.problem();
    return { problem, said };
  }

  it.each([
    {},
    { 'maxmemory-policy': 'noeviction' },
    { appendonly: 'yes' },
    { appendonly: 'yes', appendfsync: '' },
  ])('is served with a warning when it tells %j', async (told) => {
    expect(await seen(telling(told))).toEqual({
      problem: undefined,
      said: [expect.stringMatching(/^warn: Redis does not tell how it is set/)],
    });
    await requireDurable(telling(told), STRICT);
  });

  it.each([
    [{ appendonly: 'no' }, 'appendonly is no'],
    [{ appendfsync: 'everysec' }, 'appendfsync is everysec'],
    [{ 'maxmemory-policy': 'allkeys-lru' }, 'maxmemory-policy is allkeys-lru'],
  ])('is refused for what it tells: %j', async (told, weakness) => {
    await expect(requireDurable(telling(told), STRICT)).rejects.toThrow(weakness);
    expect((await seen(telling(told))).problem).toContain(weakness);
  });
});
