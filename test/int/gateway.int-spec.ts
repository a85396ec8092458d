import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '@app/embedded';
import { gatewayRoutes, type GatewayRoute } from '../../apps/standalone/src/interface-document.js';

const env = { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin:/usr/local/sbin` };
const hasNginx = spawnSync('nginx', ['-v'], { env }).status === 0;
const describeWithNginx = hasNginx ? describe : describe.skip;

const file = (path: string) => new URL(`../../${path}`, import.meta.url);
const committed = readFileSync(file('deploy/gateway/nginx.conf'), 'utf8');

/** Responds with its own name and with what it was sent. */
async function startApp(name: string): Promise<Server> {
  const server = createServer((request: IncomingMessage, response) => {
    const { method, url, headers } = request;
    request.resume();
    response.end(JSON.stringify({ app: name, method, url, project: headers['project_id'] }));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server;
}

/** The configuration for this machine. nginx knows `resolve` since 1.27.3; addresses do not need it. */
const withPorts = (conf: string, directory: string, ports: Record<string, number>): string =>
  conf
    .replace(/server (\w+):\d+ resolve;/g, (_, app: string) => `server 127.0.0.1:${ports[app]};`)
    .replace('listen 8080;', `listen 127.0.0.1:${ports['gateway']};`)
    .replace('worker_processes auto;', 'worker_processes 1;')
    .replace('/dev/stderr', '/tmp/error.log')
    .replaceAll(' /tmp/', ` ${directory}/`);

describeWithNginx('the gateway, run by nginx', () => {
  let directory: string;
  let ingest: Server;
  let query: Server;
  let nginx: ChildProcess | undefined;
  let url: string;

  const checkConfiguration = () =>
    spawnSync('nginx', ['-t', '-p', directory, '-c', join(directory, 'nginx.conf')], {
      env,
      encoding: 'utf8',
    });

  /** Starts nginx with a configuration, once the one before it has ended. */
  async function startGateway(conf: string): Promise<void> {
    await stopGateway();
    const gateway = await freePort();
    const port = (server: Server) => (server.address() as AddressInfo).port;
    const ports = { gateway, ingest: port(ingest), query: port(query) };
    const path = join(directory, 'nginx.conf');
    writeFileSync(path, withPorts(conf, directory, ports));
    nginx = spawn('nginx', ['-p', directory, '-c', path, '-g', 'daemon off;'], {
      env,
      stdio: 'ignore',
    });
    url = `http://127.0.0.1:${gateway}`;
    while (!(await fetch(url).then(Boolean, () => false))) {
      if (nginx.exitCode !== null) throw new Error(checkConfiguration().stderr);
      await sleep(20);
    }
  }

  async function stopGateway(): Promise<void> {
    if (nginx === undefined || nginx.exitCode !== null) return;
    const ended = once(nginx, 'exit');
    nginx.kill('SIGTERM');
    await ended;
  }

  const send = async (method: string, path: string, headers = {}) => {
    const response = await fetch(url + path, { method, headers });
    return (await response.json()) as { app: string; url: string; project?: string };
  };

  const appOf = async (method: string, path: string) => (await send(method, path)).app;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'heddle-gateway-'));
    ingest = await startApp('ingest');
    query = await startApp('query');
    await startGateway(committed);
  });

  afterAll(async () => {
    await stopGateway();
    for (const server of [ingest, query]) {
      server.close();
      server.closeAllConnections();
    }
    rmSync(directory, { recursive: true, force: true });
  });

  it('has a configuration that nginx accepts', () => {
    const { status, stderr } = checkConfiguration();

    expect([status, stderr]).toEqual([0, expect.stringContaining('successful')]);
  });

  it('serves no metrics, at the root and under /traces', async () => {
    const status = async (path: string) => (await fetch(url + path)).status;

    expect([await status('/metrics'), await status('/traces/metrics')]).toEqual([404, 404]);
  });

  it('sends every other route to its app, at the root and under /traces', async () => {
    const routes = (await gatewayRoutes()).filter(({ path }) => path !== '/metrics');
    const sample = ({ path }: GatewayRoute) => path.replace(/:\w+/g, 'a.b-1');
    const found = await Promise.all(
      routes.map(async (route) => ({
        ...route,
        app: await appOf(route.method, sample(route)),
        prefixed: await appOf(route.method, `/traces${sample(route)}`),
      })),
    );

    expect(found).toEqual(routes.map((route) => ({ ...route, prefixed: route.app })));
  });

  it('lets the app refuse a wrong method, and query an unknown path', async () => {
    expect(await appOf('GET', '/call/start')).toBe('ingest');
    expect(await appOf('POST', '/call/start/more')).toBe('query');
    expect(await appOf('PUT', '/objs/a/b/aliases')).toBe('query');
    expect(await appOf('POST', '/tracescall/start')).toBe('query');
  });

  it('passes the path, the query and the project header through as they are', async () => {
    const path = '/traces/v2/acme/a%20b/call/start?x=%2F';

    expect(await send('POST', path, { project_id: 'acme/demo' })).toMatchObject({
      app: 'ingest',
      url: path,
      project: 'acme/demo',
    });
  });

  it('shares a path by method when both apps serve it', async () => {
    // The script is plain JavaScript, without types.
    const { renderGateway } = (await import(file('scripts/gateway.mjs').href)) as {
      renderGateway: (routes: readonly object[]) => string;
    };
    await startGateway(
      renderGateway([
        { method: 'GET', path: '/v2/:entity/:project/datasets', app: 'query' },
        { method: 'POST', path: '/v2/:entity/:project/datasets', app: 'ingest' },
      ]),
    );

    expect(await appOf('GET', '/v2/acme/demo/datasets')).toBe('query');
    expect(await appOf('POST', '/traces/v2/acme/demo/datasets')).toBe('ingest');
  });

  it('tells clients to retry while an app is unavailable', async () => {
    await startGateway(committed.replace('server ingest:8081 resolve', 'server 127.0.0.1:1'));
    const response = await fetch(`${url}/call/start`, { method: 'POST' });

    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await response.json()).toEqual({ reason: expect.any(String) });
  });
});
