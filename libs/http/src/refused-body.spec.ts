import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { refuseBody } from './refused-body.js';

const KiB = 1024;
const LIMITS = { maxBytes: 256 * KiB, maxMs: 500 };
let server: Server;

/** A server that refuses every request at its head. */
beforeAll(async () => {
  server = createServer((request, response) => {
    const caller = request.headers.host!;
    const respond = () => response.writeHead(413, { 'content-length': 2 }).end('no');
    refuseBody(request, caller, respond, caller === 'test' ? LIMITS : { maxMs: 4000 });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

/** Sends a body in pieces, even after the response. Resolves to what was received, and whether the connection ends within a time. */
async function sendBody(announced: number, sent: number, withinMs = 20_000, host = 'test') {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  let received = '';
  let isClosed = false;
  socket.on('data', (data) => (received += data.toString('latin1')));
  socket.on('error', () => undefined);
  socket.once('close', () => (isClosed = true));
  socket.write(`POST / HTTP/1.1\r\nhost: ${host}\r\ncontent-length: ${announced}\r\n\r\n`);
  for (let left = sent; left > 0 && !isClosed; left -= 64 * KiB) {
    socket.write(Buffer.alloc(Math.min(left, 64 * KiB)));
    await new Promise((go) => setTimeout(go, 5));
  }
  const wait = new Promise((go) => setTimeout(go, withinMs).unref());
  await Promise.race([wait, isClosed ? undefined : once(socket, 'close')]);
  const result = { status: Number(received.slice(9, 12)), isClosed };
  socket.destroy();
  return result;
}

describe('a body that was refused', () => {
  it('is read to its end, so that the client sees the response and can use the connection again', async () => {
    expect(await sendBody(200 * KiB, 200 * KiB, 800)).toEqual({ status: 413, isClosed: false });
  });

  it('is read up to a limit, and then the connection ends', async () => {
    expect(await sendBody(10_000 * KiB, 1000 * KiB)).toEqual({ status: 413, isClosed: true });
  });

  it('waits for its response while many of the same caller are read', async () => {
    const send = (host: string) => sendBody(200 * KiB, 10 * KiB, 1500, host);
    const many = Array.from({ length: 12 }, () => send('many'));
    const other = send('other');
    const statuses = (await Promise.all(many)).map(({ status }) => status);

    expect(statuses.filter((status) => status === 413)).toHaveLength(8);
    expect(await other).toEqual({ status: 413, isClosed: false });
  });

  it('gets its response when one before it has been read', async () => {
    const stuck = Array.from({ length: 7 }, () => sendBody(200 * KiB, 10 * KiB, 1500, 'busy'));
    const first = sendBody(200 * KiB, 200 * KiB, 1500, 'busy');
    const second = sendBody(200 * KiB, 200 * KiB, 1500, 'busy');

    expect(await first).toMatchObject({ status: 413 });
    expect(await second).toMatchObject({ status: 413 });
    await Promise.all(stuck);
  });

  it('gets its response when clients before it have left', async () => {
    const left = Array.from({ length: 8 }, () => sendBody(10_000 * KiB, 10 * KiB, 300, 'left'));
    await Promise.all(left);

    expect(await sendBody(200 * KiB, 10 * KiB, 1500, 'left')).toMatchObject({ status: 413 });
  });

  it('is not read when it has waited too long, and then the connection ends', async () => {
    const stuck = Array.from({ length: 8 }, () => sendBody(200 * KiB, 10 * KiB, 6000, 'late'));
    const late = sendBody(200 * KiB, 100 * KiB, 8000, 'late');

    expect(await late).toMatchObject({ isClosed: true });
    await Promise.all(stuck);
  }, 15_000);

  it('is read for a limited time, and then the connection ends', async () => {
    expect(await sendBody(200 * KiB, 10 * KiB)).toEqual({ status: 413, isClosed: true });
  });
});
