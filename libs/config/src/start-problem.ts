/** Why a process cannot start, as one sentence that names what to do. Printed alone, without a stack. */
export class StartProblem extends Error {
  override readonly name = 'StartProblem';
}
