import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { freePort } from '@app/embedded';
import { connectRedis } from '@app/redis';
import { createLogger } from '@app/observability';
import { sharedServer } from '../support/test-server.js';

interface Service {
  readonly command: string[];
  readonly healthcheck: { readonly test: string[] };
}

const { services, configs } = parse(readFileSync('docker-compose.yml', 'utf8'), {
  merge: true,
}) as {
  services: Record<'redis' | 'ingest' | 'worker' | 'query' | 'standalone', Service>;
  configs: { redis: { content: string } };
};

describe('the commands of docker-compose.yml, as plain processes', () => {
  it('start a Redis that loses no acknowledged write and requires its password', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'heddle-compose-'));
    const port = await freePort();
    const [command = '', , ...args] = services.redis.command;
    const config = join(directory, 'redis.conf');
    writeFileSync(config, configs.redis.content.replace(/\$\{REDIS_PASSWORD:\?[^}]*\}/, 'secret'));
    const here = ['--port', String(port), '--bind', '127.0.0.1', '--dir', directory];
    const server = spawn(command, [config, ...args, ...here], { stdio: 'ignore' });
    const ended = new Promise((resolve) => server.once('exit', resolve));
    const open = (url: string) => connectRedis({ url }, 'consumer', createLogger('test', 'error'));
    const redis = open(`redis://:secret@127.0.0.1:${port}`);
    const stranger = open(`redis://127.0.0.1:${port}`);
    try {
      expect(await redis.config('GET', 'appendfsync')).toEqual(['appendfsync', 'always']);
      expect(await redis.config('GET', 'maxmemory-policy')).toEqual([
        'maxmemory-policy',
        'noeviction',
      ]);
      await expect(stranger.get('a')).rejects.toThrow(/NOAUTH/);
    } finally {
      redis.disconnect();
      stranger.disconnect();
      server.kill('SIGTERM');
      await ended;
      rmSync(directory, { recursive: true, force: true });
    }
  });

  it.each(['ingest', 'worker', 'query', 'standalone'] as const)(
    'check with their exit code whether %s is ready',
    async (name) => {
      const [kind, , ...args] = services[name].healthcheck.test;
      const exitCode = (port: string) =>
        spawnSync(process.execPath, args, { env: { PORT: port } }).status;

      expect([kind, ...args.map((arg) => typeof arg)]).toEqual(['CMD', 'string', 'string']);
      expect(exitCode(new URL(sharedServer().url).port)).toBe(0);
      expect(exitCode(String(await freePort()))).toBe(1);
    },
  );
});
