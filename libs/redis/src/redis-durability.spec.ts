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

describe('a Redis that could lose acknowledged writes', () => {
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
  ])('is detected by %j', (fields, weakness) => {
    expect(weaknesses(fields)).toEqual([weakness]);
  });

  it('has all its weaknesses reported at once', () => {
    const all = { appendonly: 'no', appendfsync: 'no', 'maxmemory-policy': 'allkeys-lru' };
    expect(weaknesses(all)).toHaveLength(3);
  });

  it('is not one that fsyncs every write and evicts nothing', () => {
    expect(weaknesses()).toEqual([]);
    expect(weaknesses({ maxmemory: '0', 'maxmemory-policy': 'allkeys-lru' })).toEqual([]);
  });
});

describe('a Redis that reports only some of its settings', () => {
  const STRICT = { allowNonDurable: false };

  /** Replies to CONFIG GET with these settings only. */
  const reporting = (reported: Readonly<Record<string, string>>) =>
    ({
      status: 'ready',
      on: () => undefined,
      info: () => Promise.resolve('role:master'),
      config: (_: string, names: string) =>
        Promise.resolve(
          Object.entries(reported)
            .filter(([name]) => name.startsWith(names.replace('*', '')))
            .flat(),
        ),
    }) as unknown as Redis;

  async function checked(redis: Redis) {
    const logged: string[] = [];
    const note = (level: string) => (text: string) => void logged.push(`${level}: ${text}`);
    const logger = { warn: note('warn'), error: note('error'), debug: note('debug') };
    const check = durabilityCheck(redis, STRICT, logger as unknown as Logger);
    const problem = await check.problem();
    return { problem, logged };
  }

  it.each([
    {},
    { 'maxmemory-policy': 'noeviction' },
    { appendonly: 'yes' },
    { appendonly: 'yes', appendfsync: '' },
  ])('is refused when it reports %j, unless the operator accepts the risk', async (reported) => {
    const unknown = /does not report appendonly and appendfsync/;
    expect(await checked(reporting(reported))).toEqual({
      problem: expect.stringMatching(unknown) as string,
      logged: [expect.stringMatching(/^warn: Redis does not report its persistence settings/)],
    });
    await expect(requireDurable(reporting(reported), STRICT)).rejects.toThrow(unknown);
    await requireDurable(reporting(reported), { allowNonDurable: true });
  });

  it.each([
    [{ appendonly: 'no' }, 'appendonly is no'],
    [{ appendfsync: 'everysec' }, 'appendfsync is everysec'],
    [{ 'maxmemory-policy': 'allkeys-lru' }, 'maxmemory-policy is allkeys-lru'],
  ])('is refused for a weak setting: %j', async (reported, weakness) => {
    await expect(requireDurable(reporting(reported), STRICT)).rejects.toThrow(weakness);
    expect((await checked(reporting(reported))).problem).toContain(weakness);
  });
});
