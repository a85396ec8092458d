// Which app or library may import which. ARCHITECTURE.md has the same table; what is not listed may not be imported.

/** The libraries that each app and library may import apart from itself. Most may read settings and write logs. */
const EVERYWHERE = ['config', 'observability'];

const LIBS = {
  errors: [],
  config: [],
  observability: ['config'],
  wire: [],
  contracts: ['wire'],
  events: ['wire'],
  digests: [],
  // Files in a bucket; the only library that imports the S3 client.
  blobs: [...EVERYWHERE],
  pricing: ['wire', 'clickhouse'],
  // The only lib that connects to Redis.
  redis: ['wire', ...EVERYWHERE],
  // The only lib that knows BullMQ.
  queue: ['wire', 'redis', 'events', ...EVERYWHERE],
  clickhouse: ['wire', ...EVERYWHERE],
  'query-language': ['wire', 'contracts', 'clickhouse'],
  // API keys and their rate limits live in Redis.
  auth: ['wire', 'contracts', 'redis', ...EVERYWHERE],
  http: ['wire', 'contracts', 'auth', ...EVERYWHERE],
  // Rules live in Redis; requests change them, and a job of the worker evaluates them.
  alerts: ['wire', 'redis', ...EVERYWHERE],
  embedded: [...EVERYWHERE],
};

const APPS = {
  // clickhouse is open to the few writes that must read first; see `ingest-reads-through-readers`.
  ingest: [
    'wire',
    'contracts',
    'events',
    'digests',
    'redis',
    'queue',
    'clickhouse',
    'blobs',
    'http',
    'auth',
    'alerts',
    ...EVERYWHERE,
  ],
  // http is there to serve health, blobs to erase files, nothing else.
  worker: [
    'wire',
    'events',
    'redis',
    'queue',
    'clickhouse',
    'pricing',
    'blobs',
    'http',
    'alerts',
    ...EVERYWHERE,
  ],
  // redis is there to limit the rate of queries, queue to wait for the caller's pending writes, digests to compare the
  // examples of evaluations, nothing else.
  query: [
    'wire',
    'contracts',
    'digests',
    'clickhouse',
    'query-language',
    'pricing',
    'blobs',
    'http',
    'auth',
    'redis',
    'queue',
    ...EVERYWHERE,
  ],
  // It composes the apps, and creates the tables and the first key before it accepts requests.
  standalone: ['embedded', 'http', 'auth', 'redis', 'queue', 'clickhouse', ...EVERYWHERE],
  cli: Object.keys(LIBS),
  // The page runs in the browser and knows the server by its HTTP interface; see `page-imports-filters-only`.
  web: ['query-language'],
};

const MODULE_FILES = '^apps/(ingest|worker|query)/src/[^/]+\\.module\\.ts$';
/** Filters as text: for the browser as well, so it has a public API of its own. */
const FILTERS = '^libs/query-language/src/text/';
const PUBLIC_API = ['^libs/[^/]+/src/index\\.ts$', `${FILTERS}index\\.ts$`];
const SPECS = '\\.spec\\.ts$';

const libPaths = (names) => names.map((name) => `^libs/${name}/`);

const importRule = (path, comment, allowed) => ({
  name: `imports-of-${path.replace('/', '-')}`,
  comment,
  severity: 'error',
  from: { path: `^${path}/` },
  // Every library and app may throw a HeddleError.
  to: { path: '^(apps|libs)/', pathNot: [`^${path}/`, '^libs/errors/', ...allowed] },
});

const libRules = Object.entries(LIBS).map(([name, may]) =>
  importRule(
    `libs/${name}`,
    `libs/${name} may import ${may.join(', ') || 'nothing of ours'}.`,
    libPaths(may),
  ),
);

const appRules = Object.entries(APPS).map(([name, may]) => {
  const composes = name === 'standalone' || name === 'cli';
  const modules = composes ? [MODULE_FILES] : [];
  const comment = `apps/${name} may import ${may.join(', ')}${composes ? ', and the modules of the other apps' : ''}.`;
  return importRule(`apps/${name}`, comment, [...libPaths(may), ...modules]);
});

const inTables = [
  ...Object.keys(LIBS).map((name) => `^libs/${name}/`),
  ...Object.keys(APPS).map((name) => `^apps/${name}/`),
];

module.exports = {
  forbidden: [
    ...libRules,
    ...appRules,
    {
      name: 'not-in-the-tables',
      comment: 'Add a new app or library to the tables above before it imports or is imported.',
      severity: 'error',
      from: { path: '^(apps|libs)/', pathNot: inTables },
      to: { path: '^(apps|libs)/' },
    },
    {
      name: 'no-cycles',
      comment: 'Data moves one way. A type that two files need has a home of its own.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'libs-import-the-public-api',
      comment: 'From outside a lib import `@app/<lib>`, never a file inside it.',
      severity: 'error',
      from: { path: '^libs/([^/]+)/' },
      to: { path: '^libs/', pathNot: ['^libs/$1/', ...PUBLIC_API] },
    },
    {
      name: 'apps-import-the-public-api',
      comment: 'From an app import `@app/<lib>`, never a file inside it.',
      severity: 'error',
      from: { path: '^apps/' },
      to: { path: '^libs/', pathNot: PUBLIC_API },
    },
    {
      name: 'public-api-by-its-alias',
      comment: 'Write `@app/<lib>`, not a relative path to its index.',
      severity: 'error',
      from: { path: '^(apps|libs)/' },
      to: { path: PUBLIC_API, dependencyTypesNot: ['aliased'] },
    },
    {
      name: 'page-imports-filters-only',
      comment: 'The page imports the text of filters, and nothing else of ours.',
      severity: 'error',
      from: { path: '^apps/web/' },
      to: { path: '^libs/', pathNot: FILTERS },
    },
    {
      name: 'filters-import-nothing',
      comment:
        'The text of filters runs in the browser: no package, no Node, no other file of ours.',
      severity: 'error',
      from: { path: FILTERS, pathNot: SPECS },
      to: { pathNot: FILTERS },
    },
    {
      name: 'no-import-of-the-own-index',
      comment: 'Inside a lib import the file, never your own index.',
      severity: 'error',
      from: { path: '^libs/([^/]+)/' },
      to: { path: '^libs/$1/src/(text/)?index\\.ts$' },
    },
    {
      name: 'ingest-reads-through-readers',
      comment:
        'Ingest of calls never needs ClickHouse: only a reader may query it, before a write.',
      severity: 'error',
      from: {
        path: '^apps/ingest/',
        pathNot: ['\\.(reader|sql)\\.ts$', '\\.(module|process)\\.ts$', SPECS],
      },
      to: { path: '^libs/clickhouse/' },
    },
    {
      name: 'ioredis-stays-in-redis',
      comment: 'ioredis belongs to libs/redis, which gives every process its one connection.',
      severity: 'error',
      from: { path: '^(apps|libs)/', pathNot: '^libs/redis/' },
      to: { path: 'node_modules/ioredis/' },
    },
    {
      name: 'bullmq-stays-in-queue',
      comment: 'bullmq belongs to libs/queue and to the processors of the worker.',
      severity: 'error',
      from: { path: '^(apps|libs)/', pathNot: ['^libs/queue/', '\\.processor\\.ts$'] },
      to: { path: 'node_modules/bullmq/' },
    },
    {
      name: 'clickhouse-client-stays-in-clickhouse',
      comment: '@clickhouse/client belongs to libs/clickhouse, to writers and to readers.',
      severity: 'error',
      from: { path: '^(apps|libs)/', pathNot: ['^libs/clickhouse/', '\\.(writer|reader)\\.ts$'] },
      to: { path: 'node_modules/@clickhouse/' },
    },
    {
      name: 'tests-are-imported-by-specs',
      comment: 'Nothing imports test/ except specs.',
      severity: 'error',
      from: { path: '^(apps|libs)/', pathNot: SPECS },
      to: { path: '^test/' },
    },
    {
      name: 'specs-are-not-imported',
      comment: 'No file imports a spec. Move what two specs need to test/support.',
      severity: 'error',
      from: {},
      to: { path: SPECS },
    },
    {
      name: 'imported-packages-are-installed',
      comment:
        'An imported package is in package.json, and the apps import no development package.',
      severity: 'error',
      from: { path: '^(apps|libs)/', pathNot: [SPECS, '^apps/web/'] },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'npm-dev'] },
    },
    {
      name: 'imported-files-exist',
      comment: 'The path does not resolve.',
      severity: 'error',
      from: { path: '^(apps|libs)/' },
      to: { couldNotResolve: true },
    },
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    // Type-only imports count as imports, also for cycles.
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(dist|data)/' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
    reporterOptions: { text: { highlightFocused: true } },
  },
};
