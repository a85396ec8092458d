import { describeScenarios, TYPESCRIPT } from './scenarios.js';

describeScenarios(TYPESCRIPT, [
  'typescript/calls.mjs',
  'typescript/objects.mjs',
  'typescript/leaving.mjs',
  'typescript/otel.mjs',
]);
