import { describeScenarios, PYTHON } from './scenarios.js';

describeScenarios(PYTHON, [
  'python/calls.py',
  'python/reads.py',
  'python/objects.py',
  'python/leaving.py',
  'python/otel.py',
]);
