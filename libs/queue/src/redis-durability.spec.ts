import { weaknessesOf } from './redis-durability.js';

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
    [{ appendfsync: '' }, 'appendfsync is not known instead of always'],
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
    expect(weaknessesOf(new Map([['appendonly', 'no']]))).toHaveLength(3);
  });

  it('is none that fsyncs and evicts nothing', () => {
    expect(weaknesses()).toEqual([]);
    expect(weaknesses({ maxmemory: '0', 'maxmemory-policy': 'allkeys-lru' })).toEqual([]);
  });
});
