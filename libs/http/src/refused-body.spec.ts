import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { refuseBody } from './refused-body.js';

const KiB = 1024;
/** Longer than any of these tests takes. */
const NEVER_MS = 600_000;
let server: Server;
/** Requests of each host whose heads the server has read. */
let heads: Record<string, number>;
let clients: Client[];

/** A server that refuses every request at its head, and reads a body for the time that the request names. */
beforeAll(async () => {
  server = createServer((request, response) => {
    const host = request.headers.host!;
    heads[host] = (heads[host] ?? 0) + 1;
    const respond = () => response.writeHead(413, { 'content-length': 2 }).end('no');
    const maxMs = Number(request.headers['x-max-ms']);
    refuseBody(request, host, respond, { maxBytes: 256 * KiB, maxMs });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});
beforeEach(() => {
  heads = {};
  clients = [];
});
afterEach(async () => {
  for (const client of clients) client.leave();
  await until(() => clients.every(({ isClosed }) => isClosed));
});

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await sleep(5);
}

/** A client that announces a body and sends it in pieces, also after the response. */
class Client {
  isClosed = false;
  private received = '';
  private readonly socket: Socket;

  constructor(host: string, announced: number, maxMs = NEVER_MS) {
    clients.push(this);
    this.socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    this.socket.on('data', (data) => (this.received += data.toString('latin1')));
    this.socket.on('error', () => undefined);
    this.socket.once('close', () => (this.isClosed = true));
    this.socket.write(
      `POST / HTTP/1.1\r\nhost: ${host}\r\nx-max-ms: ${maxMs}\r\ncontent-length: ${announced}\r\n\r\n`,
    );
  }

  get responses(): number {
    return this.received.split('HTTP/1.1 413').length - 1;
  }

  send(bytes: number): void {
    this.socket.write(Buffer.alloc(bytes));
  }

  /** Sends until the server closes the connection. */
  async sendUntilClosed(): Promise<void> {
    while (!this.isClosed) {
      this.send(64 * KiB);
      await sleep(5);
    }
  }

  /** Another request, without a body, on the same connection. */
  requestAgain(): void {
    this.socket.write('POST / HTTP/1.1\r\nhost: again\r\ncontent-length: 0\r\n\r\n');
  }

  leave(): void {
    this.socket.destroy();
  }
}

/** Eight clients of a host that have their responses and do not send their bodies. */
async function eightStuck(host: string): Promise<Client[]> {
  const stuck = Array.from({ length: 8 }, () => new Client(host, 200 * KiB));
  await until(() => stuck.every(({ responses }) => responses === 1));
  return stuck;
}

describe('a body that was refused', () => {
  it('is read to its end, so that the client sees the response and can use the connection again', async () => {
    const client = new Client('test', 200 * KiB);
    client.send(200 * KiB);

    client.requestAgain();
    await until(() => client.responses === 2);

    expect(client.isClosed).toBe(false);
  });

  it('is read up to a limit, and then the connection ends', async () => {
    const client = new Client('test', 10_000 * KiB);

    await client.sendUntilClosed();

    expect(client.responses).toBe(1);
  });

  it('waits for its response while many of the same caller are read', async () => {
    await eightStuck('many');
    const later = Array.from({ length: 4 }, () => new Client('many', 200 * KiB));
    await until(() => heads['many'] === 12);
    const other = new Client('other', 200 * KiB);
    await until(() => other.responses === 1);

    expect(later.map(({ responses }) => responses)).toEqual([0, 0, 0, 0]);
    expect(other.isClosed).toBe(false);
  });

  it('gets its response when one before it has been read', async () => {
    const [first] = await eightStuck('busy');
    const second = new Client('busy', 200 * KiB);
    await until(() => heads['busy'] === 9);
    expect(second.responses).toBe(0);

    first!.send(200 * KiB);
    await until(() => second.responses === 1);

    expect(first!.isClosed).toBe(false);
  });

  it('gets its response when a client before it has left', async () => {
    const [first] = await eightStuck('left');
    const second = new Client('left', 200 * KiB);
    await until(() => heads['left'] === 9);
    expect(second.responses).toBe(0);

    first!.leave();
    await until(() => second.responses === 1);
  });

  it('is not read when it has waited too long, and then the connection ends', async () => {
    await eightStuck('late');
    // The whole body: if it was read to its end, the connection would stay.
    const late = new Client('late', 100 * KiB, 50);
    late.send(100 * KiB);

    await until(() => late.isClosed);

    expect(heads['late']).toBe(9);
  });

  it('is read for a limited time, and then the connection ends', async () => {
    const client = new Client('test', 200 * KiB, 50);

    await until(() => client.isClosed);

    expect(client.responses).toBe(1);
  });
});
