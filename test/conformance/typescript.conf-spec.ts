import { describeScenarios, TYPESCRIPT } from './scenarios.js';

// This SDK has no threads, tags, aliases or deletion of objects; docs/how-to/migrate-from-weave.md lists what it lacks.
describeScenarios(TYPESCRIPT, [
  'typescript/api.mjs',
  'typescript/calls.mjs',
  'typescript/datasets.mjs',
  'typescript/evaluations.mjs',
  'typescript/objects.mjs',
  'typescript/otel.mjs',
  'typescript/process-exit.mjs',
  'typescript/reads.mjs',
]);
