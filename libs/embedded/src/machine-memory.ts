import { totalmem } from 'node:os';

/** What this process may really use: a container's limit when there is one. */
export function machineMemoryBytes(): number {
  const limit = process.constrainedMemory();
  return limit > 0 && limit < totalmem() ? limit : totalmem();
}
