export { StartProblem } from './start-problem.js';
