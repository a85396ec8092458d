/** Why a process cannot start, as one sentence that names what to do. Printed alone, without a stack. */
export class StartupError extends Error {
  override readonly name = 'StartupError';
}
