const e2e = (name) => `<rootDir>/test/e2e/${name}.e2e-spec.ts`;
const onSharedServer = ['calls', 'calls-query', 'costs', 'objects', 'refs', 'usage'];
const standaloneOnly = [
  'compose',
  'fairness',
  'faults',
  'fuzz',
  // Some of its requests are refused by the HTTP server itself, here the gateway.
  'malformed-input',
  'oracle',
  'standalone*',
];

const sizes = {
  unit: ['<rootDir>/{apps,libs}/**/*.spec.ts', '<rootDir>/test/unit/**/*.spec.ts'],
  int: ['<rootDir>/test/int/**/*.int-spec.ts'],
  e2e: ['<rootDir>/test/e2e/**/*.e2e-spec.ts'],
  'e2e-long': ['<rootDir>/test/e2e/*.long-spec.ts'],
  browser: ['<rootDir>/test/browser/*.browser-spec.ts'],
  'browser-long': ['<rootDir>/test/browser/*.long-spec.ts'],
  // The same tests on a sharded ClickHouse. The long form has those that start processes of their own too.
  cluster: ['<rootDir>/test/cluster/*.cluster-spec.ts', ...onSharedServer.map(e2e)],
  'cluster-long': [
    '<rootDir>/test/cluster/*.long-spec.ts',
    e2e(`!(${[...standaloneOnly, ...onSharedServer].join('|')})`),
  ],
  conformance: ['<rootDir>/test/conformance/*.conf-spec.ts'],
  'conformance-long': ['<rootDir>/test/conformance/*.long-spec.ts'],
};

const swc = {
  jsc: {
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true },
    target: 'es2023',
  },
  module: { type: 'es6' },
  sourceMaps: 'inline',
};

const project = (displayName, testMatch) => ({
  displayName,
  testMatch,
  testEnvironment: 'node',
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/data/'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '\\.ts$': ['@swc/jest', swc] },
  moduleNameMapper: {
    '^@app/query-language/text$': '<rootDir>/libs/query-language/src/text/index.ts',
    '^@app/(.*)$': '<rootDir>/libs/$1/src/index.ts',
    '^(\\.{1,2}/.*)\\.js$': '$1',
  },
  setupFiles: ['<rootDir>/test/support/reflect.ts'],
  ...(displayName === 'unit'
    ? {}
    : {
        globalSetup: `<rootDir>/test/support/${displayName.replace('-long', '')}-setup.mjs`,
        globalTeardown: '<rootDir>/test/support/teardown.mjs',
      }),
});

export default {
  projects: Object.entries(sizes).map(([name, match]) => project(name, match)),
  // Far more than any test needs, because a busy machine may be several times slower.
  testTimeout: 300_000,
  testSequencer: '<rootDir>/test/support/longest-first.mjs',
  reporters: ['default', '<rootDir>/test/support/count-reporter.mjs'],
};
