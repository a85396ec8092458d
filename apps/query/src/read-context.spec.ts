import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { fastify } from 'fastify';
import { goneSignal } from './read-context.js';

/** A server that answers when it is told to, and what it knows of its clients. */
async function aServer() {
  const app = fastify();
  let answer!: () => void;
  const answering = new Promise<void>((resolve) => (answer = resolve));
  const asked: AbortSignal[] = [];
  app.post('/', async (_, reply) => {
    asked.push(goneSignal(reply));
    await answering;
    return {};
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const request = () => http.request({ port, host: '127.0.0.1', method: 'POST' }).end();
  const firstAsked = async () => {
    while (asked.length === 0) await new Promise(setImmediate);
    return asked[0]!;
  };
  return { app, answer, request, firstAsked };
}

describe('a reading', () => {
  it('knows when its client has gone away', async () => {
    const { app, answer, request, firstAsked } = await aServer();
    const client = request().on('error', () => undefined);
    const gone = await firstAsked();
    expect(gone.aborted).toBe(false);

    client.destroy();
    await once(gone, 'abort');
    answer();
    await app.close();
  });

  it('takes nobody for gone who got an answer', async () => {
    const { app, answer, request, firstAsked } = await aServer();
    const client = request();
    const gone = await firstAsked();
    answer();
    const [response] = (await once(client, 'response')) as [http.IncomingMessage];
    await once(response.resume(), 'end');
    client.destroy();
    await app.close();

    expect(gone.aborted).toBe(false);
  });
});
