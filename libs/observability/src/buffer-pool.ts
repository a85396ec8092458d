/** At least what `MALLOC_MMAP_THRESHOLD_` is in scripts/node.sh and in the images. */
const POOL_BYTES = 32 * 1024;

/**
 * Small buffers share pieces of memory of this size. Those of Node have 8 KiB, which glibc takes from memory that it can hardly
 * return: after some batches of 20,000 facts a process kept 30 to 45 MiB. Larger pieces have pages of their own, which go back with
 * the last buffer.
 */
export function useReturnableBufferPools(): void {
  Buffer.poolSize = POOL_BYTES;
}
