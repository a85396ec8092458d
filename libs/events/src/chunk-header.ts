import { HeddleError } from '@app/errors';

/** Version of the format of every chunk. A worker refuses a chunk of another version. */
export const CHUNK_VERSION = 1;

/**
 * This release cannot read the chunk. Its job returns to the queue, where a worker of the release that wrote it finds it.
 * During an upgrade both releases take jobs from one queue.
 */
export class ChunkError extends HeddleError {
  readonly code = 'invalid_chunk';
}

/** Parses the header that every chunk begins with: its length as a little-endian uint32, then JSON. `end` is the offset after it. */
export function readChunkHeader<Header extends object>(
  chunkId: string,
  bytes: Buffer,
): { header: Header; end: number } {
  const end = 4 + bytes.readUInt32LE(0);
  const header = JSON.parse(bytes.toString('utf8', 4, end)) as Header & { v: number };
  if (header.v !== CHUNK_VERSION) {
    throw new ChunkError(
      `chunk ${chunkId} has format ${header.v}; this version reads ${CHUNK_VERSION}`,
    );
  }
  return { header, end };
}
