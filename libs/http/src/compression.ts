import { pipeline, Readable, type Transform } from 'node:stream';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import type { FastifyInstance, FastifyReply } from 'fastify';

/** A smaller response fits into one packet anyway. */
const MIN_BYTES = 1024;
/** Low levels: networks of data centres are fast, and cores are scarce. */
const GZIP = { level: 1 };
const BROTLI = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 3 } };

interface Encoder {
  readonly stream: () => Transform;
  readonly whole: (bytes: Buffer) => Promise<Buffer>;
}

type Compress = (
  bytes: Buffer,
  options: object,
  done: (error: Error | null, result: Buffer) => void,
) => void;

/** Node has zstd since 22.15 and 23.8. */
const { createZstdCompress, zstdCompress } = zlib as {
  createZstdCompress?: () => Transform;
  zstdCompress?: Compress;
};

const encoder = (stream: () => Transform, compress: Compress, options: object): Encoder => {
  const compressed = promisify(compress);
  return { stream, whole: (bytes) => compressed(bytes, options) };
};

/** In the order in which we prefer them. */
const ENCODERS: ReadonlyMap<string, Encoder> = new Map([
  ...(createZstdCompress && zstdCompress
    ? [['zstd', encoder(createZstdCompress, zstdCompress, {})] as const]
    : []),
  ['br', encoder(() => zlib.createBrotliCompress(BROTLI), zlib.brotliCompress, BROTLI)],
  ['gzip', encoder(() => zlib.createGzip(GZIP), zlib.gzip, GZIP)],
]);

/** The first of the offered encodings that an Accept-Encoding header accepts; undefined to send the bytes as they are. */
export function encodingFor(
  accepted: string | undefined,
  offered: Iterable<string> = ENCODERS.keys(),
): string | undefined {
  const refused = new Set<string>();
  const named = new Set<string>();
  for (const part of (accepted ?? '').toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim());
    const isRefused = parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
    (isRefused ? refused : named).add(name);
  }
  const isAccepted = (name: string) => named.has(name) || (named.has('*') && !refused.has(name));
  return [...offered].find(isAccepted);
}

/** Responses of these types are compressed. Others are streams of events, bytes of files, or compressed already. */
const COMPRESSIBLE = /^(application\/(json|jsonl)|text\/csv)\b/;

/** Compresses JSON responses as the client accepts it, streams included. */
export function compressResponses(fastify: FastifyInstance): void {
  fastify.addHook('onSend', (request, reply, payload: unknown, done) => {
    const type = String(reply.getHeader('content-type') ?? '');
    if (!COMPRESSIBLE.test(type) || reply.hasHeader('content-encoding')) return done(null, payload);
    void reply.header('vary', withEncoding(reply.getHeader('vary')));
    const encoding = encodingFor(request.headers['accept-encoding']);
    if (encoding === undefined || request.method === 'HEAD') return done(null, payload);
    compressed(payload, encoding, reply).then((encoded) => done(null, encoded), done);
  });
}

/** CORS sets the header, too. */
const withEncoding = (vary: unknown) =>
  typeof vary === 'string' && vary !== '' ? `${vary}, accept-encoding` : 'accept-encoding';

async function compressed(
  payload: unknown,
  encoding: string,
  reply: FastifyReply,
): Promise<unknown> {
  const { stream, whole } = ENCODERS.get(encoding)!;
  if (payload instanceof Readable) {
    const { bytes, rest } = await firstBytes(payload);
    if (rest === undefined) return Buffer.concat(bytes);
    markEncoded(reply, encoding);
    return piped(Readable.from(resumed(bytes, rest), { objectMode: false }), stream());
  }
  const bytes = typeof payload === 'string' ? Buffer.from(payload) : payload;
  if (!Buffer.isBuffer(bytes) || bytes.length < MIN_BYTES) return payload;
  markEncoded(reply, encoding);
  return whole(bytes);
}

function markEncoded(reply: FastifyReply, encoding: string): void {
  void reply.header('content-encoding', encoding).removeHeader('content-length');
}

/** Reads until it is clear whether the response is too small to be compressed; `rest` is undefined if it is. */
async function firstBytes(payload: Readable) {
  const rest = payload[Symbol.asyncIterator]() as AsyncIterableIterator<Buffer | string>;
  const bytes: Buffer[] = [];
  for (let size = 0; size < MIN_BYTES;) {
    const next = await rest.next();
    if (next.done === true) return { bytes, rest: undefined };
    bytes.push(Buffer.from(next.value));
    size += bytes.at(-1)!.length;
  }
  return { bytes, rest };
}

async function* resumed(
  first: readonly Buffer[],
  rest: AsyncIterableIterator<Buffer | string>,
): AsyncGenerator<Buffer | string> {
  try {
    yield* first;
    yield* rest;
  } finally {
    await rest.return?.();
  }
}

/** An error of the source breaks the response; a client that disconnects stops the source. */
const piped = (source: Readable, transform: Transform): Transform =>
  pipeline(source, transform, () => undefined);
