import { describeScenarios, PYTHON, TYPESCRIPT } from './scenarios.js';

describeScenarios(TYPESCRIPT, ['typescript/bulk.mjs'], 300_000);
// The second script waits for five minutes without using the CPU, so both run at the same time.
describeScenarios(PYTHON, ['python/bulk.py', 'python/process_exit_unsent.py'], 500_000);
