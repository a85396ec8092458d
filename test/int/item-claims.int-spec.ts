import { randomUUID } from 'node:crypto';
import { readConfig } from '@app/config';
import { createLogger } from '@app/observability';
import { connectRedis } from '@app/redis';
import { ORDER_FACTS, type ClaimSeed } from '../../libs/queue/src/record-order.js';

const DAY = 86_400_000_000;
const NOON = Date.UTC(2026, 2, 1, 12) * 1000;

describe('the claim of an annotator', () => {
  const { redis: config } = readConfig({ REDIS_URL: process.env['REDIS_URL'] });
  const redis = connectRedis(config, 'consumer', createLogger('test', 'error'));
  afterAll(() => redis.disconnect());

  const anItem = () => {
    const name = `test:${randomUUID()}`;
    const keys = ['payload', 'clock', 'claim'].map((part) => `{${name}}:${part}`);
    /** The reason of a refusal, or undefined. */
    const set = async (user: string, state: string, at: number, seed?: ClaimSeed) => {
      const steps = JSON.stringify([{ claim: 3, user, state, ...(seed ? { seed } : {}) }]);
      const reply = await redis.eval(ORDER_FACTS, keys.length, ...keys, String(at), steps);
      return String(reply).startsWith('[') ? undefined : reply;
    };
    return { set, claimKey: keys[2]! };
  };
  const NONE = { user: '', state: '', at: 0 };

  it('lapses after a day, and not before', async () => {
    const { set } = anItem();

    expect(await set('ann', 'in_progress', NOON, NONE)).toBeUndefined();
    expect(await set('eve', 'in_progress', NOON + DAY - 1)).toBe('claimed');
    expect(await set('eve', 'completed', NOON + DAY - 1)).toBe('claimed');
    expect(await set('eve', 'in_progress', NOON + DAY)).toBeUndefined();
    expect(await set('ann', 'completed', NOON + DAY + 1)).toBe('claimed');
    expect(await set('eve', 'completed', NOON + DAY + 2)).toBeUndefined();
  });

  it('is known from ClickHouse when Redis has lost it, and lapses as well', async () => {
    const claimed = { user: 'ann', state: 'in_progress', at: NOON };

    const early = anItem();
    expect(await early.set('eve', 'in_progress', NOON + 1)).toBe('unseeded');
    expect(await early.set('eve', 'in_progress', NOON + DAY - 1, claimed)).toBe('claimed');
    expect(await anItem().set('eve', 'in_progress', NOON + DAY, claimed)).toBeUndefined();
    expect(await redis.ttl(early.claimKey)).toBeGreaterThan(86_000);
  });

  it('of a finished item never lapses', async () => {
    const { set } = anItem();

    expect(await set('ann', 'completed', NOON, NONE)).toBeUndefined();
    expect(await set('eve', 'in_progress', NOON + 30 * DAY)).toBe('finished');
    expect(await set('ann', 'in_progress', NOON + 30 * DAY)).toBe('final');
  });
});
