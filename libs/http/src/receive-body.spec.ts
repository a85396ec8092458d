import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request, type ClientRequest } from 'node:http';
import { gzipSync } from 'node:zlib';
import fastify, { type FastifyInstance } from 'fastify';
import { receiveBodies } from './receive-body.js';
import { acceptCompressedBodies } from './transport.js';

const KiB = 1024;
const LIMIT = 2048 * KiB;
let server: FastifyInstance;
let url: string;
/** Lengths of the bodies that handlers have, in order. Responses are sent by `respond`. */
let received: number[];
let respond: (() => void)[];

beforeEach(async () => {
  received = [];
  respond = [];
  server = fastify({ bodyLimit: LIMIT });
  receiveBodies(server, 1024 * KiB);
  acceptCompressedBodies(server, LIMIT);
  server.setErrorHandler((error: { code?: string; stack?: string }, _request, reply) =>
    reply.status(503).send(String(error.code ?? error.stack)),
  );
  server.post('/', async (incoming) => {
    const body = incoming.body as Buffer;
    received.push(body.length);
    if (body[0] === 0x77) await new Promise<void>((go) => respond.push(go));
    return `${body.length} ${body.toString('latin1', 0, 1)}`;
  });
  url = await server.listen({ port: 0, host: '127.0.0.1' });
});
afterEach(async () => {
  for (const go of respond) go();
  server.server.closeAllConnections();
  await server.close();
});

const post = async (body: Buffer, headers: Record<string, string> = {}): Promise<string> => {
  const init = { method: 'POST', body: new Uint8Array(body), headers };
  return (await fetch(url, init)).text();
};
const waiting = (bytes: number) => Buffer.alloc(bytes, 'w');
const quick = (bytes: number) => Buffer.alloc(bytes, 'q');
/** A body that compresses about forty times. */
const repetitive = (bytes: number) => {
  const body = quick(bytes);
  for (let at = 512; at < bytes - 16; at += 512) randomBytes(8).copy(body, at);
  return body;
};
const gzip = { 'content-encoding': 'gzip' };
const until = async (isTrue: () => boolean) => {
  while (!isTrue()) await new Promise((go) => setTimeout(go, 5));
};

describe('a request body', () => {
  it.each([0.5, 40, 600, 1500])('of %d KiB arrives whole', async (size) => {
    expect(await post(quick(size * KiB))).toBe(`${size * KiB} q`);
    expect(await post(gzipSync(repetitive(size * KiB)), gzip)).toBe(`${size * KiB} q`);
  });

  it('is not read while another of the same tenant uses its memory', async () => {
    const first = post(waiting(400 * KiB));
    await until(() => received.length === 1);
    const second = post(quick(400 * KiB));
    expect(await post(quick(10 * KiB))).toBe(`${10 * KiB} q`);
    expect(received).toEqual([400 * KiB, 10 * KiB]);

    respond[0]!();

    expect(await first).toBe(`${400 * KiB} w`);
    expect(await second).toBe(`${400 * KiB} q`);
  });

  it('that a client does not finish gives its memory back', async () => {
    const abandoned: ClientRequest = request(url, {
      method: 'POST',
      headers: { 'content-length': 900 * KiB },
    });
    abandoned.on('error', () => undefined);
    abandoned.write(quick(300 * KiB));
    await once(abandoned, 'socket');
    abandoned.destroy();

    expect(await post(quick(900 * KiB))).toBe(`${900 * KiB} q`);
  });

  it('of unknown length is refused when it grows beyond the memory that is free', async () => {
    const first = post(waiting(460 * KiB));
    await until(() => received.length === 1);

    // Neither the smallest nor the usual compressed body has to wait.
    expect(await post(gzipSync(repetitive(50 * KiB)), gzip)).toBe(`${50 * KiB} q`);
    expect(await post(gzipSync(repetitive(100 * KiB)), gzip)).toBe('bodies_busy');

    respond[0]!();
    await first;
    expect(await post(gzipSync(repetitive(100 * KiB)), gzip)).toBe(`${100 * KiB} q`);
  });

  it('above the limit is refused', async () => {
    expect(await post(quick(LIMIT + 1))).toBe('body_too_large');
    expect(await post(gzipSync(repetitive(LIMIT + 1)), gzip)).toBe('body_too_large');
  });
});
