import { describeScenarios, TYPESCRIPT } from './scenarios.js';

// No threads, tags, aliases or deletion of objects: this SDK has none. docs/how-to/migrate-from-weave.md lists what it lacks.
describeScenarios(TYPESCRIPT, [
  'typescript/api.mjs',
  'typescript/calls.mjs',
  'typescript/datasets.mjs',
  'typescript/evaluations.mjs',
  'typescript/leaving.mjs',
  'typescript/objects.mjs',
  'typescript/otel.mjs',
  'typescript/reads.mjs',
]);
