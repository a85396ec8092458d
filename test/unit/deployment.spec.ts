import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { BlockList } from 'node:net';
import { DockerfileParser } from 'dockerfile-ast';
import { parse } from 'yaml';
import { SETTINGS } from '../../libs/config/src/settings.js';

interface Service {
  image: string;
  build?: { context: string; target: string };
  command?: string[];
  environment?: Record<string, string>;
  depends_on?: Record<string, { condition: string }>;
  volumes?: string[];
  healthcheck?: { test: string[] };
  mem_limit?: string;
  ports?: string[];
  networks?: unknown;
  restart: string;
}

interface Compose {
  services: Record<string, Service>;
  volumes: Record<string, unknown>;
  networks: { front: { ipam: { config: [{ subnet: string; ip_range: string }] } } };
  configs: { redis: { content: string } };
}

const MIB = 1024 ** 2;
/** Measured by test/bench/capacity.bench.mjs with 10 calls per request; larger requests need less. */
const REDIS_BYTES_PER_CALL = 5690;

/** A version with all its numbers, and optionally a digest. */
const BY_DIGEST = /^[\w./-]+:v?\d+\.\d+\.\d+[\w.-]*@sha256:[0-9a-f]{64}$/;

const root = new URL('../../', import.meta.url);
const text = (path: string) => readFileSync(new URL(path, root), 'utf8');
const isThere = (path: string) => existsSync(new URL(path, root));

describe('docker-compose.yml', () => {
  const compose = parse(text('docker-compose.yml'), { merge: true }) as Compose;
  const services = Object.entries(compose.services);
  const ours = services.filter(([, service]) => service.build);
  const nameOf = ([name]: [string, Service]) => name;

  it('runs every process of the server', () => {
    expect(services.map(nameOf).sort()).toEqual(
      'clickhouse gateway grafana ingest migrate prometheus query redis standalone worker'.split(
        ' ',
      ),
    );
  });

  it.each(ours)('starts %s from the entry file of an app', (_name, { command = [] }) => {
    const [program, entry = ''] = command;
    const app = /^dist\/apps\/(\w+)\/src\/main\.js$/.exec(entry)?.[1];

    expect(program).toBe('node');
    expect(isThere(`apps/${app}/src/main.ts`)).toBe(true);
  });

  it.each(ours)('gives %s only variables that libs/config reads', (_name, service) => {
    expect(Object.keys(SETTINGS)).toEqual(
      expect.arrayContaining(Object.keys(service.environment ?? {})),
    );
  });

  it('refuses to start without an API key', () => {
    const keys = services.flatMap(([, service]) => service.environment?.['HEDDLE_API_KEY'] ?? []);

    expect(keys).toHaveLength(3);
    for (const key of keys) expect(key).toMatch(/^\$\{HEDDLE_API_KEY:\?.+\}$/);
  });

  it('has no default password', () => {
    const passwords = services.flatMap(
      ([, service]) => service.environment?.['CLICKHOUSE_PASSWORD'] ?? [],
    );

    expect(passwords.length).toBeGreaterThan(1);
    for (const one of passwords) expect(one).toMatch(/^\$\{CLICKHOUSE_PASSWORD:\?.+\}$/);
  });

  it('gives Redis a password of the environment, in a file and in no command line', () => {
    const required = /\$\{REDIS_PASSWORD:\?.+\}/;
    const { redis, ingest } = compose.services;

    expect(compose.configs.redis.content).toMatch(required);
    expect(redis?.environment?.['REDISCLI_AUTH']).toMatch(required);
    expect(ingest?.environment?.['REDIS_URL']).toMatch(
      /^redis:\/\/:\$\{REDIS_PASSWORD:\?.+\}@redis:6379$/,
    );
    expect(redis?.command?.join(' ')).not.toContain('requirepass');
  });

  it('trusts the address of the gateway, which no other container can get, and no other proxy', () => {
    const { gateway, ingest, query } = compose.services;
    const [{ subnet, ip_range: range }] = compose.networks.front.ipam.config;
    const address = (gateway?.networks as Record<string, { ipv4_address: string }>)['front']
      ?.ipv4_address;
    const among = (network: string) => {
      const [base = '', bits] = network.split('/');
      const list = new BlockList();
      list.addSubnet(base, Number(bits));
      return list.check(address ?? '');
    };

    expect([among(subnet), among(range)]).toEqual([true, false]);
    for (const service of [ingest, query])
      expect(service?.environment?.['TRUSTED_PROXIES']).toBe(address);
  });

  it('depends only on services that exist and can meet the condition', () => {
    const edges = services.flatMap(([, service]) => Object.entries(service.depends_on ?? {}));

    for (const [name, { condition }] of edges) {
      const needed = compose.services[name];
      expect(needed).toBeDefined();
      if (condition === 'service_healthy') expect(needed?.healthcheck).toBeDefined();
      if (condition === 'service_completed_successfully') expect(needed?.restart).toBe('no');
    }
  });

  it('lets ingest start while ClickHouse is unavailable', () => {
    expect(Object.keys(compose.services['ingest']?.depends_on ?? {})).toEqual(['redis']);
  });

  it('mounts files that exist and volumes that are declared', () => {
    const sources = services
      .flatMap(([, service]) => service.volumes ?? [])
      .map((v) => v.split(':')[0]!);

    for (const source of sources) {
      if (source.startsWith('.')) expect(isThere(source)).toBe(true);
      else expect(Object.keys(compose.volumes)).toContain(source);
    }
  });

  it('keeps every acknowledged fact in Redis: fsynced, never evicted, within bounds', () => {
    const command = compose.services['redis']?.command?.join(' ');

    expect(command).toContain('--appendonly yes');
    expect(command).toContain('--appendfsync always');
    expect(command).toContain('--maxmemory-policy noeviction');
    expect(command).toContain('--auto-aof-rewrite-min-size 1gb');
  });

  it('has memory for ten minutes of 1,000 calls per second while ClickHouse is unavailable', () => {
    const { command = [], mem_limit: limit = '' } = compose.services['redis']!;
    const maxMemoryMiB = Number(/--maxmemory (\d+)mb/.exec(command.join(' '))?.[1]);
    const forWrites = (maxMemoryMiB * MIB * Number(SETTINGS.QUEUE_MEMORY_PERCENT.fallback)) / 100;

    expect(forWrites).toBeGreaterThan(600 * 1000 * REDIS_BYTES_PER_CALL);
    // Rewriting the append-only file may copy all data.
    expect(Number(/^(\d+)g$/.exec(limit)?.[1]) * 1024).toBeGreaterThanOrEqual(2 * maxMemoryMiB);
  });

  it('raises the query size of ClickHouse as the embedded server does', () => {
    const settings = text('deploy/clickhouse/users.d/query-size.xml');

    expect(settings).toContain('<max_query_size>268435456</max_query_size>');
    expect(settings).toContain('<http_max_field_value_size>268435456</http_max_field_value_size>');
  });

  it('pins every image of others by digest, and says its version', () => {
    const foreign = services.filter((service) => !ours.includes(service));

    expect(foreign.length).toBeGreaterThanOrEqual(3);
    for (const [, { image }] of foreign) expect(image).toMatch(BY_DIGEST);
  });

  it('runs a Redis with the fix for CVE-2025-49844', () => {
    const [, minor, patch] = /^redis:7\.(\d+)\.(\d+)-/.exec(compose.services['redis']!.image) ?? [];

    expect(Number(minor)).toBe(4);
    expect(Number(patch)).toBeGreaterThanOrEqual(6);
  });

  it('names its own images by the version in package.json', () => {
    const { version } = JSON.parse(text('package.json')) as { version: string };

    expect(new Set(ours.map(([, { image }]) => image))).toEqual(
      new Set([`heddle:${version}`, `heddle-standalone:${version}`]),
    );
  });

  it('has a health check for every service that keeps running', () => {
    const silent = services.filter(
      ([, service]) => !service.healthcheck && service.restart !== 'no',
    );

    expect(silent.map(nameOf)).toEqual([]);
  });

  it('opens one port to the outside', () => {
    const open = services.flatMap(([, service]) => service.ports ?? []);

    // The others are of this machine only.
    const outside = open.filter((port) => !port.startsWith('127.0.0.1:'));
    expect(new Set(outside)).toEqual(new Set(['8080:8080']));
  });
});

/** The sources that name them: `packageRoot()`. The page is in `dist`. */
const READ_AT_RUN_TIME = [
  'package.json',
  'docs/reference/openapi.json',
  'libs/clickhouse/migrations',
  'libs/pricing/default-prices.json',
];

describe('Dockerfile', () => {
  const dockerfile = DockerfileParser.parse(text('Dockerfile'));
  const stages = dockerfile.getFROMs().map((from) => from.getBuildStage());
  const copies = dockerfile.getCOPYs().map((copy) => ({
    from: copy.getFromFlag()?.getValue() ?? undefined,
    sources: copy.getArguments().slice(0, -1).map(String),
  }));
  const byStage = dockerfile
    .getFROMs()
    .map((from) => dockerfile.getContainingImage(from.getRange().start));

  it('builds in stages, and the last one is the image of the split apps', () => {
    expect(stages.length).toBeGreaterThan(2);
    expect(stages.at(-1)).toBe('app');
  });

  it('has a stage for every target that compose builds', () => {
    const compose = parse(text('docker-compose.yml'), { merge: true }) as Compose;
    const targets = Object.values(compose.services).flatMap(({ build }) => build?.target ?? []);

    expect(stages).toEqual(expect.arrayContaining(targets));
  });

  it.each(['standalone', 'app'])('runs %s as a user who is not root', (stage) => {
    const instructions = byStage[stages.indexOf(stage)]?.getInstructions() ?? [];
    const users = instructions.filter((instruction) => instruction.getKeyword() === 'USER');

    expect(users.map((user) => user.getArgumentsContent())).toEqual(['node']);
  });

  it('copies only what exists, or what an earlier stage has made', () => {
    const fromContext = copies.filter(({ from }) => from === undefined);
    const fromStages = copies.filter(({ from }) => from !== undefined);

    for (const source of fromContext.flatMap(({ sources }) => sources)) {
      expect([source, isThere(source)]).toEqual([source, true]);
    }
    for (const { from } of fromStages) expect(stages).toContain(from);
  });

  it.each(['standalone', 'app'])('carries into %s the files that are read at run time', (stage) => {
    const image = byStage[stages.indexOf(stage)];
    const sources = (image?.getInstructions() ?? [])
      .filter((instruction) => instruction.getKeyword() === 'COPY')
      .flatMap((copy) => copy.getArguments().map((argument) => argument.getValue()));

    for (const path of READ_AT_RUN_TIME) {
      expect(isThere(path)).toBe(true);
      expect(sources.map((source) => source.replace('/app/', ''))).toContain(path);
    }
  });

  it('lets the builder see what it copies', () => {
    const seen = text('.dockerignore').split('\n');
    const fromContext = copies.filter(({ from }) => from === undefined);

    for (const source of fromContext.flatMap(({ sources }) => sources)) {
      const parents = source.split('/').map((_, i, parts) => parts.slice(0, i + 1).join('/'));
      expect([source, parents.some((path) => seen.includes(`!${path}`))]).toEqual([source, true]);
    }
  });

  it('gives both images the settings of the allocator that npm start uses', () => {
    const ofScript = [...text('scripts/node.sh').matchAll(/^export (\w+)="\$\{\1:-(\d+)\}"$/gm)];
    const settings = ofScript.map(([, name, value]) => `${name}=${value}`).join(' ');
    const scripts = (JSON.parse(text('package.json')) as { scripts: Record<string, string> })
      .scripts;
    const servers = ['start', 'start:ingest', 'start:worker', 'start:query'];

    expect(ofScript).toHaveLength(3);
    expect(
      text('Dockerfile')
        .split('\n')
        .filter((line) => line === `ENV ${settings}`),
    ).toHaveLength(2);
    for (const name of servers) expect(scripts[name]).toMatch(/^exec sh scripts\/node\.sh /);
  });

  it('pins its base image to one digest', () => {
    const images = new Set(dockerfile.getFROMs().map((from) => from.getImage()));
    images.delete('base');

    expect([...images]).toEqual([expect.stringMatching(BY_DIGEST)]);
  });

  it('runs no install script of a package', () => {
    const installs = text('Dockerfile').match(/npm (ci|install).*/g) ?? [];

    expect(installs.length).toBeGreaterThan(0);
    for (const line of installs) expect(line).toContain('--ignore-scripts');
  });

  it.each(['standalone', 'app'])('starts %s with an app that exists', (stage) => {
    const [command] = byStage[stages.indexOf(stage)]?.getCMDs() ?? [];
    const app = /dist\/apps\/(\w+)\/src\/main\.js/.exec(command?.getArgumentsContent() ?? '')?.[1];

    expect(isThere(`apps/${app}/src/main.ts`)).toBe(true);
  });
});

describe('the gateway', () => {
  const gateway = (routes: object[]) => {
    const script = new URL('scripts/gateway.mjs', root).pathname;
    const { stdout } = spawnSync(process.execPath, [script], { input: JSON.stringify(routes) });
    return stdout.toString();
  };

  it('sends a path to the app that serves it, at the root and under /traces', () => {
    const conf = gateway([{ method: 'POST', path: '/call/start', app: 'ingest' }]);

    expect(conf).toContain('~^/traces(?<after_traces>/.*)$ $after_traces;');
    expect(conf).toContain('map $unprefixed_uri $app {');
    expect(conf).toContain(' /call/start ingest;');
  });

  it('matches parameters, the more literal path first', () => {
    const conf = gateway([
      { method: 'GET', path: '/v2/:entity/:project/:kind', app: 'query' },
      { method: 'POST', path: '/v2/:entity/:project/costs', app: 'ingest' },
    ]);
    const costs = conf.indexOf(' ~^/v2/[^/]+/[^/]+/costs$ ingest;');
    const kinds = conf.indexOf(' ~^/v2/[^/]+/[^/]+/[^/]+$ query;');

    expect(costs).toBeGreaterThan(0);
    expect(kinds).toBeGreaterThan(costs);
  });

  it('shares a path by method when both apps serve it', () => {
    const conf = gateway([
      { method: 'GET', path: '/v2/:e/:p/datasets', app: 'query' },
      { method: 'POST', path: '/v2/:entity/:project/datasets', app: 'ingest' },
    ]);

    expect(conf).toMatch(/map \$request_method \$app_0 \{\s+default query;\s+POST ingest;\s+\}/);
    expect(conf).toContain(' ~^/v2/[^/]+/[^/]+/datasets$ $app_0;');
  });

  it('sends a path that both apps serve alike to query', () => {
    const conf = gateway([
      { method: 'GET', path: '/healthz', app: 'query' },
      { method: 'GET', path: '/healthz', app: 'ingest' },
    ]);

    expect(conf).toContain(' /healthz query;');
  });

  it('serves no metrics, under no prefix', () => {
    const conf = text('deploy/gateway/nginx.conf');
    const location = /location ~ (\S+) \{\s+default_type application\/json;\s+return 404 /.exec(
      conf,
    );
    const isRefused = (path: string) => new RegExp(location![1]!).test(path);

    expect(['/metrics', '/traces/metrics', '/metrics/'].map(isRefused)).toEqual([true, true, true]);
    expect(['/', '/calls/stats', '/a/metrics'].map(isRefused)).toEqual([false, false, false]);
  });

  it('leaves size limits to the apps and passes bodies and odd headers through', () => {
    const conf = text('deploy/gateway/nginx.conf');

    for (const line of [
      'client_max_body_size 0;',
      'proxy_request_buffering off;',
      'underscores_in_headers on;',
      'location / { proxy_pass http://$app; }',
      'default query;',
    ]) {
      expect(conf).toContain(line);
    }
  });
});
