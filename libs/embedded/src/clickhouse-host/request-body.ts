import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { Transform } from 'node:stream';
import zlib from 'node:zlib';
import { engineError } from './engine-errors.js';

const UNKNOWN_COMPRESSION_METHOD = 89;

/** The whole body: an insert is one block of rows, or none. */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const keep = async (source: AsyncIterable<Buffer>) => {
    for await (const chunk of source) chunks.push(chunk);
  };
  const decoder = decoderFor(request.headers['content-encoding'] ?? 'identity');
  await (decoder ? pipeline(request, decoder, keep) : pipeline(request, keep));
  return Buffer.concat(chunks);
}

function decoderFor(encoding: string): Transform | undefined {
  switch (encoding) {
    case 'identity':
      return undefined;
    case 'gzip':
      return zlib.createGunzip();
    case 'deflate':
      return zlib.createInflate();
    case 'br':
      return zlib.createBrotliDecompress();
    case 'zstd':
      if (hasZstd(zlib)) return zlib.createZstdDecompress();
  }
  throw engineError(
    UNKNOWN_COMPRESSION_METHOD,
    'UNKNOWN_COMPRESSION_METHOD',
    `Unknown compression method: ${encoding}.`,
  );
}

/** Node has it since 22.15. */
function hasZstd<T extends object>(lib: T): lib is T & { createZstdDecompress(): Transform } {
  return 'createZstdDecompress' in lib;
}
