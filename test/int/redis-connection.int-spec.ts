import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { connectRedis, type Redis } from '@app/redis';
import { RedisServer } from '../support/redis-server.js';
import { listeningLogger } from './embedded/engine.js';

let open: { close: () => unknown }[] = [];
afterEach(async () => {
  for (const { close } of open.reverse()) await close();
  open = [];
});

function connected(...args: Parameters<typeof connectRedis>): Redis {
  const redis = connectRedis(...args);
  open.push({ close: () => redis.disconnect() });
  return redis;
}

/** Replies to every command as a Redis does that loads its data and estimates an hour for it, for half a second. */
async function loadingRedis(): Promise<string> {
  const loadedAt = Date.now() + 500;
  const replies: Record<string, () => string> = {
    hello: () => '-NOPROTO unsupported protocol version\r\n',
    info: () => {
      const text =
        Date.now() < loadedAt ? 'loading:1\r\nloading_eta_seconds:3600\r\n' : 'loading:0\r\n';
      return `$${text.length}\r\n${text}\r\n`;
    },
  };
  const server: Server = createServer((socket) => {
    socket.on('data', (data) => {
      for (const [, name] of data.toString().matchAll(/\*\d+\r\n\$\d+\r\n(\w+)\r\n/g)) {
        socket.write(replies[name!.toLowerCase()]?.() ?? '+OK\r\n');
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  open.push({ close: () => server.close() });
  return `redis://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('a connection to Redis', () => {
  it('is ready soon after Redis has loaded its data, whatever Redis had estimated', async () => {
    const began = Date.now();
    const redis = connected({ url: await loadingRedis() }, 'producer', listeningLogger());

    await once(redis, 'ready');

    // By default the client waits ten seconds between two attempts.
    expect(Date.now() - began).toBeLessThan(9000);
  });

  it.each(['producer', 'consumer'] as const)(
    'is replaced when Redis refuses the write of a %s because it is a replica',
    async (use) => {
      const server = await RedisServer.start();
      open.push({ close: () => server.stop() });
      const redis = connected({ url: server.url }, use, listeningLogger());
      const admin = connected({ url: server.url }, 'consumer', listeningLogger());
      await once(redis, 'ready');
      await admin.replicaof('127.0.0.1', 1);

      const written = redis.set('a', '1').catch(({ message }: Error) => message);
      await once(redis, 'close');
      await admin.replicaof('NO', 'ONE');

      const refusal = "READONLY You can't write against a read only replica.";
      expect(await written).toBe(use === 'producer' ? refusal : 'OK');
    },
  );
});
