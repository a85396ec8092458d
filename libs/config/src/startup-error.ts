/** A process cannot start. The message names the fix and is printed without a stack trace. */
export class StartupError extends Error {
  override readonly name = 'StartupError';
}
