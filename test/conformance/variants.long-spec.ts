import { describeScenarios, PYTHON, TYPESCRIPT, type Sdk } from './scenarios.js';

/** The same SDK with a setting that makes it speak in another way. */
const variant = (sdk: Sdk, how: string, more: (url: string) => Record<string, string>): Sdk => ({
  ...sdk,
  name: `${sdk.name} SDK ${how}`,
  environment: (url, key) => ({ ...sdk.environment(url, key), ...more(url) }),
});

describeScenarios(
  variant(PYTHON, 'in the old way of sending calls', () => ({ WEAVE_USE_CALLS_COMPLETE: 'false' })),
  ['python/calls.py', 'python/leaving.py'],
);

describeScenarios(
  variant(PYTHON, 'with digests of its own', () => ({
    WEAVE_ENABLE_CLIENT_SIDE_DIGESTS: 'true',
  })),
  ['python/objects.py', 'python/datasets.py'],
);

describeScenarios(
  variant(TYPESCRIPT, 'with a slash too many', (url) => ({ WF_TRACE_SERVER_URL: `${url}/` })),
  ['typescript/calls.mjs', 'typescript/leaving.mjs'],
);
