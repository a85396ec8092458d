import { describeScenarios, PYTHON, TYPESCRIPT, type Sdk } from './scenarios.js';

/** The same SDK with a setting that changes its requests. */
const variant = (sdk: Sdk, how: string, more: (url: string) => Record<string, string>): Sdk => ({
  ...sdk,
  name: `${sdk.name} SDK ${how}`,
  environment: (url, key) => ({ ...sdk.environment(url, key), ...more(url) }),
});

describeScenarios(
  variant(PYTHON, 'with starts and ends sent apart', () => ({ WEAVE_USE_CALLS_COMPLETE: 'false' })),
  ['python/calls.py', 'python/process_exit.py'],
);

describeScenarios(
  variant(PYTHON, 'with client-side digests', () => ({
    WEAVE_ENABLE_CLIENT_SIDE_DIGESTS: 'true',
  })),
  ['python/objects.py', 'python/datasets.py'],
);

describeScenarios(
  variant(TYPESCRIPT, 'with a trailing slash', (url) => ({ WF_TRACE_SERVER_URL: `${url}/` })),
  ['typescript/calls.mjs', 'typescript/process-exit.mjs'],
);
