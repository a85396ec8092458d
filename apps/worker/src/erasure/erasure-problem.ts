/** It cannot be done now; said without a stack. */
export class ErasureProblem extends Error {
  override readonly name = 'ErasureProblem';
}
