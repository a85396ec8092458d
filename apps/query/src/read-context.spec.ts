import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { fastify } from 'fastify';
import { disconnectSignal, onceClosed } from './read-context.js';

/** A server that responds once `respond` is called, and the signal of its first request. */
async function aServer() {
  const app = fastify();
  let respond!: () => void;
  const responding = new Promise<void>((resolve) => (respond = resolve));
  const signals: AbortSignal[] = [];
  app.post('/', async (_, reply) => {
    signals.push(disconnectSignal(reply));
    await responding;
    return {};
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const request = () => http.request({ port, host: '127.0.0.1', method: 'POST' }).end();
  const firstSignal = async () => {
    while (signals.length === 0) await new Promise(setImmediate);
    return signals[0]!;
  };
  return { app, respond, request, firstSignal };
}

describe('the disconnect signal', () => {
  it('aborts when the client disconnects before the response', async () => {
    const { app, respond, request, firstSignal } = await aServer();
    const client = request().on('error', () => undefined);
    const signal = await firstSignal();
    expect(signal.aborted).toBe(false);

    client.destroy();
    await once(signal, 'abort');
    respond();
    await app.close();
  });

  it('does not abort when the client disconnects after the response', async () => {
    const { app, respond, request, firstSignal } = await aServer();
    const client = request();
    const signal = await firstSignal();
    respond();
    const [response] = (await once(client, 'response')) as [http.IncomingMessage];
    await once(response.resume(), 'end');
    client.destroy();
    await app.close();

    expect(signal.aborted).toBe(false);
  });
});

describe('what runs when a response is closed', () => {
  it('runs also when the client has disconnected before it was registered', async () => {
    const app = fastify();
    let hasArrived!: () => void;
    const arrived = new Promise<void>((resolve) => (hasArrived = resolve));
    const ran = new Promise<string>((resolve) => {
      app.post('/', async (_, reply) => {
        hasArrived();
        await once(reply.raw, 'close');
        onceClosed(reply, () => resolve('released'));
        expect(disconnectSignal(reply).aborted).toBe(true);
        return {};
      });
    });
    await app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = app.server.address() as AddressInfo;
    const client = http.request({ port, host: '127.0.0.1', method: 'POST' }).end();
    client.on('error', () => undefined);
    await arrived;

    client.destroy();

    expect(await ran).toBe('released');
    await app.close();
  });
});
