import { describeScenarios, PYTHON } from './scenarios.js';

describeScenarios(PYTHON, [
  'python/calls.py',
  'python/datasets.py',
  'python/evaluations.py',
  'python/feedback.py',
  'python/leaving.py',
  'python/objects.py',
  'python/otel.py',
  'python/reads.py',
]);
