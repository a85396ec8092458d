/** FNV-1a hash of a path, 32 bits. The worker stores these hashes and queries compare with them, so they never change. */
export function pathHash(path: Buffer, length = path.length): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < length; at++) hash = Math.imul(hash ^ path[at]!, 0x01000193);
  return hash >>> 0;
}
