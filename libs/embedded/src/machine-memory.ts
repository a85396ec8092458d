import { totalmem } from 'node:os';

/** Memory of the machine, or the limit of the container. */
export function machineMemoryBytes(): number {
  const limit = process.constrainedMemory();
  return limit > 0 && limit < totalmem() ? limit : totalmem();
}
