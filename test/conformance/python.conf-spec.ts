import { describeScenarios, PYTHON } from './scenarios.js';

describeScenarios(PYTHON, [
  'python/annotations.py',
  'python/calls.py',
  'python/datasets.py',
  'python/evaluations.py',
  'python/feedback.py',
  'python/objects.py',
  'python/otel.py',
  'python/process_exit.py',
  'python/reads.py',
  'python/v2_routes.py',
]);
