import { Transform, type Readable, type TransformCallback } from 'node:stream';
import zlib from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { ProblemError } from './problems.js';

/** A larger ratio is a decompression bomb: text does not shrink that much. Small bodies are exempt. */
const RATIO_MAX = 200;
const RATIO_FREE_BYTES = 1024 * 1024;

type Decompress = () => Transform;

/** Node has zstd since 22.15 and 23.8. */
const zstd = (zlib as { createZstdDecompress?: Decompress }).createZstdDecompress;

const ENCODINGS: Readonly<Record<string, Decompress | undefined>> = {
  gzip: () => zlib.createGunzip(),
  'x-gzip': () => zlib.createGunzip(),
  deflate: () => zlib.createInflate(),
  br: () => zlib.createBrotliDecompress(),
  zstd,
};

/** Decompresses bodies. The limit applies to the size after decompression. */
export function acceptCompressedBodies(fastify: FastifyInstance, maxBytes: number): void {
  fastify.addHook('preParsing', (request, _reply, payload, done) => {
    const encoding = request.headers['content-encoding']?.trim().toLowerCase();
    if (encoding === undefined || encoding === '' || encoding === 'identity') {
      done(null, payload);
      return;
    }
    const decompress = ENCODINGS[encoding];
    if (decompress === undefined) {
      done(unsupported(encoding));
      return;
    }
    delete request.headers['content-length'];
    done(null, decompressed(payload as Readable, decompress(), maxBytes));
  });
}

function unsupported(encoding: string): ProblemError {
  const known = Object.keys(ENCODINGS).filter((name) => ENCODINGS[name] !== undefined);
  return new ProblemError(
    'unsupported_encoding',
    `Content-Encoding ${encoding.slice(0, 40)} is not one of ${known.join(', ')}.`,
  );
}

function decompressed(source: Readable, decompress: Transform, maxBytes: number): Readable {
  let received = 0;
  source.on('data', (bytes: Buffer) => (received += bytes.length));
  const limit = new Limit((sent) => {
    if (sent > maxBytes) return new ProblemError('body_too_large');
    const isBomb = sent > RATIO_FREE_BYTES && sent > received * RATIO_MAX;
    return isBomb
      ? new ProblemError('body_too_large', 'The body grows too much when it is decompressed.')
      : undefined;
  });
  decompress.on('error', (error) => {
    limit.destroy(
      error instanceof ProblemError
        ? error
        : new ProblemError('not_json', `The body cannot be decompressed: ${error.message}.`),
    );
  });
  source.on('error', (error) => limit.destroy(error));
  // The rest of a refused body must be read. Otherwise the next request on this connection never starts.
  limit.on('error', () => source.unpipe(decompress).resume());
  source.pipe(decompress).pipe(limit);
  return limit;
}

/** Forwards bytes until `refuse` returns an error. */
class Limit extends Transform {
  private sent = 0;

  constructor(private readonly refuse: (sent: number) => ProblemError | undefined) {
    super();
  }

  override _transform(bytes: Buffer, _: BufferEncoding, done: TransformCallback): void {
    this.sent += bytes.length;
    const problem = this.refuse(this.sent);
    if (problem === undefined) done(null, bytes);
    else done(problem);
  }
}
