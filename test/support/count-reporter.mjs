import { appendFileSync } from 'node:fs';

/** Appends the counts of a Jest run as one line to the file from which scripts/test.mjs computes the total. */
export default class CountReporter {
  onRunComplete(
    _contexts,
    { numPassedTests, numFailedTests, numPendingTests, numFailedTestSuites },
  ) {
    const file = process.env.TEST_COUNTS_FILE;
    if (!file) return;
    const failed = Math.max(numFailedTests, numFailedTestSuites > 0 ? 1 : 0);
    appendFileSync(file, `${numPassedTests} ${failed} ${numPendingTests}\n`);
  }
}
