import { Injectable } from '@nestjs/common';
import { queueError, Redis } from '@app/redis';
import { micros, type Micros } from '@app/wire';
import { KEYS } from './streams.js';

/** Redis's own time, but later than every time before, also after a fail-over to a server whose clock is behind. */
const NEXT = `
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
local last = tonumber(redis.call('GET', KEYS[1]) or '0')
local next = string.format('%.0f', math.max(now, last + 1))
redis.call('SET', KEYS[1], next)
return next`;

/**
 * One clock for all ingest processes, whose own clocks may differ. For facts whose order a user decides: the newest name of
 * a call is the one that was sent last.
 */
@Injectable()
export class FactClock {
  constructor(private readonly redis: Redis) {}

  /** Later than all earlier results, whichever process got them. */
  async next(): Promise<Micros> {
    try {
      return micros(Number(await this.redis.eval(NEXT, 1, KEYS.factClock)));
    } catch (error) {
      throw queueError(error);
    }
  }
}
