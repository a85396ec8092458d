import { describeScenarios, PYTHON, TYPESCRIPT } from './scenarios.js';

describeScenarios(TYPESCRIPT, ['typescript/bulk.mjs'], 300_000);
describeScenarios(PYTHON, ['python/bulk.py'], 400_000);
