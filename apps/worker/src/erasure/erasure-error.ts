/** It cannot be done now; said without a stack. */
export class ErasureError extends Error {
  override readonly name = 'ErasureError';
}
