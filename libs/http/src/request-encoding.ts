import { Transform, type Readable, type TransformCallback } from 'node:stream';
import zlib from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { ProblemError } from './problems.js';

/** Text never shrinks more than this; what does is an attack. Small bodies may: a kilobyte of spaces is harmless. */
const RATIO_MAX = 200;
const RATIO_FREE_BYTES = 1024 * 1024;

type Decompress = () => Transform;

/** zstd came to Node in 22.15 and 23.8. */
const zstd = (zlib as { createZstdDecompress?: Decompress }).createZstdDecompress;

const ENCODINGS: Readonly<Record<string, Decompress | undefined>> = {
  gzip: () => zlib.createGunzip(),
  'x-gzip': () => zlib.createGunzip(),
  deflate: () => zlib.createInflate(),
  br: () => zlib.createBrotliDecompress(),
  zstd,
};

/** Lets requests come compressed; the size that counts is the size afterwards. */
export function takeCompressedBodies(fastify: FastifyInstance, maxBytes: number): void {
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
  // What is left of a refused body must be read, or the next request on this connection never comes to its turn.
  limit.on('error', () => source.unpipe(decompress).resume());
  source.pipe(decompress).pipe(limit);
  return limit;
}

/** Passes bytes on until `refuse` has a reason not to. */
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
