import { describeScenarios, TYPESCRIPT } from './scenarios.js';

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
