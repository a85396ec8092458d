import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setImmediate as turn } from 'node:timers/promises';
import zlib from 'node:zlib';
import fastify, { type FastifyInstance } from 'fastify';
import { compressResponses, encodingFor } from './compression.js';

const hasZstd = 'createZstdCompress' in zlib;
const LARGE = JSON.stringify({ text: 'heddle '.repeat(1000) });
const SMALL = JSON.stringify({ text: 'heddle' });

let server: FastifyInstance;
let url: string;
const source = { read: 0, closed: false };

/** Endless random lines, which compression hardly shrinks. */
async function* endless(): AsyncGenerator<Buffer> {
  try {
    for (;;) {
      source.read++;
      await turn();
      yield Buffer.from(`${randomBytes(10_000).toString('base64')}\n`);
    }
  } finally {
    source.closed = true;
  }
}

async function* failing(): AsyncGenerator<Buffer> {
  yield Buffer.from(LARGE);
  await turn();
  throw new Error('the store went down');
}

const asStream = (...texts: string[]) =>
  Readable.from(
    texts.map((text) => Buffer.from(text)),
    { objectMode: false },
  );

const BODIES: Readonly<Record<string, () => unknown>> = {
  large: () => LARGE,
  small: () => SMALL,
  stream: () => asStream(LARGE.slice(0, 500), LARGE.slice(500)),
  'small-stream': () => asStream(SMALL),
  endless: () => Readable.from(endless(), { objectMode: false }),
  failing: () => Readable.from(failing(), { objectMode: false }),
};

beforeAll(async () => {
  server = fastify({ forceCloseConnections: true });
  compressResponses(server);
  for (const [name, body] of Object.entries(BODIES)) {
    server.get(`/${name}`, (_, reply) => reply.type('application/json').send(body()));
  }
  server.get('/bytes', (_, reply) =>
    reply.type('application/octet-stream').send(Buffer.from(LARGE)),
  );
  url = await server.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(() => server.close());

/** The response as it was sent: fetch would decompress it. */
async function get(path: string, accepted: string) {
  const request = http.get(url + path, { headers: { 'accept-encoding': accepted } });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return { headers: response.headers, bytes: await buffer(response) };
}

describe('the encoding of a response', () => {
  it.each([
    [undefined, undefined],
    ['', undefined],
    ['identity', undefined],
    ['gzip', 'gzip'],
    ['GZIP;q=0.5', 'gzip'],
    ['gzip, deflate, br', 'br'],
    ['gzip, br;q=0', 'gzip'],
    ['gzip;q=0.000', undefined],
    ['*', hasZstd ? 'zstd' : 'br'],
    ['br;q=0, zstd;q=0, *', 'gzip'],
    ['gzip, zstd', hasZstd ? 'zstd' : 'gzip'],
    ['x-gzippy', undefined],
  ])('for "%s" is %s', (accepted, encoding) => {
    expect(encodingFor(accepted)).toBe(encoding);
  });

  it('is one that the file has', () => {
    expect(encodingFor('br, gzip', ['gzip'])).toBe('gzip');
    expect(encodingFor('br', ['gzip'])).toBeUndefined();
  });
});

describe('a compressed response', () => {
  it.each([
    ['large', 'gzip', zlib.gunzipSync],
    ['large', 'br', zlib.brotliDecompressSync],
    ['stream', 'gzip', zlib.gunzipSync],
    ['stream', 'br', zlib.brotliDecompressSync],
  ])('has all bytes of the %s body (%s)', async (path, encoding, decompress) => {
    const { headers, bytes } = await get(`/${path}`, encoding);

    expect(headers).toMatchObject({ 'content-encoding': encoding, vary: 'accept-encoding' });
    expect(bytes.length).toBeLessThan(LARGE.length / 10);
    expect(decompress(bytes).toString()).toBe(LARGE);
  });

  it.each([
    ['/small', 'gzip', SMALL],
    ['/small-stream', 'gzip', SMALL],
    ['/large', 'identity', LARGE],
    ['/stream', '', LARGE],
    ['/bytes', 'gzip', LARGE],
  ])('is not made of %s for "%s"', async (path, accepted, text) => {
    const { headers, bytes } = await get(path, accepted);

    expect(headers['content-encoding']).toBeUndefined();
    expect(bytes.toString()).toBe(text);
  });

  it('breaks when its source fails', async () => {
    const response = await fetch(`${url}/failing`, { headers: { 'accept-encoding': 'gzip' } });

    await expect(response.text()).rejects.toThrow();
  });

  it('reads no more than the client, and stops when the client disconnects', async () => {
    const stop = new AbortController();
    const headers = { 'accept-encoding': 'gzip' };
    await fetch(`${url}/endless`, { headers, signal: stop.signal });
    let before = -1;
    while (before !== source.read) {
      before = source.read;
      for (let i = 0; i < 500; i++) await turn();
    }

    expect(source.read).toBeLessThan(3000);
    stop.abort();
    while (!source.closed) await turn();
  });
});
