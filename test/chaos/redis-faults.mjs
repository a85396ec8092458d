import { setTimeout as sleep } from 'node:timers/promises';
import { lasting } from './lasting.mjs';

const FLUSH_EVERY_MS = 150;

/** Redis loses its script cache again and again, as after a fail-over. No client should notice. */
export function scriptsLost(faults, times) {
  return faults.fault(`Redis loses its scripts ${times} times`, () =>
    withRedis(faults, async (redis) => {
      for (let i = 0; i < times; i++) {
        await redis('SCRIPT', 'FLUSH');
        await sleep(FLUSH_EVERY_MS);
      }
      return { outageMs: times * FLUSH_EVERY_MS };
    }),
  );
}

/**
 * Redis is a replica, as the former master of a fail-over is: clients must get 503. Its master is an address where nothing
 * listens, so that it keeps its data.
 */
export function readOnly(faults, ms) {
  return faults.fault(`Redis read-only, ${Math.round(ms / 1000)} s`, () =>
    withRedis(faults, async (redis) => {
      const refused = faults.writer.counts.refused503;
      await redis('REPLICAOF', '127.0.0.1', '1');
      let isRefused;
      try {
        isRefused = await lasting(ms, () => faults.writer.counts.refused503 > refused);
      } finally {
        await redis('REPLICAOF', 'NO', 'ONE');
      }
      return { outageMs: ms, note: isRefused ? '' : 'no client got 503' };
    }),
  );
}

/** Redis accepts no writes: clients must get 429, and writing must continue when the limit is raised again. */
export function queueFull(faults, ms) {
  return faults.fault(`Redis at maxmemory, ${Math.round(ms / 1000)} s`, () =>
    withRedis(faults, async (redis) => {
      const [, limit] = await redis('CONFIG', 'GET', 'maxmemory');
      const used = Number(/^used_memory:(\d+)/m.exec(await redis('INFO', 'memory'))[1]);
      const refused = faults.writer.counts.refused429;
      await redis('CONFIG', 'SET', 'maxmemory', String(Math.floor(used * 0.9)));
      let isRefused;
      try {
        isRefused = await lasting(ms, () => faults.writer.counts.refused429 > refused);
      } finally {
        await redis('CONFIG', 'SET', 'maxmemory', limit);
      }
      return { outageMs: ms, note: isRefused ? '' : 'no client got 429' };
    }),
  );
}

/** Sends commands to Redis while no other fault kills it. */
async function withRedis({ server, busy }, act) {
  busy.add(server.redis);
  try {
    return await act((...command) => server.redisCommand(...command));
  } finally {
    busy.delete(server.redis);
  }
}
