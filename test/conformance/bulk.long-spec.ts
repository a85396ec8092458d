import { describeScenarios, PYTHON, TYPESCRIPT } from './scenarios.js';

describeScenarios(TYPESCRIPT, ['typescript/bulk.mjs'], 300_000);
// The second waits for five minutes and does nothing; they may as well pass while the first works.
describeScenarios(PYTHON, ['python/bulk.py', 'python/leaving_untold.py'], 500_000);
