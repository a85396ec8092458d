import { connect } from 'node:net';

/**
 * One kept-alive HTTP connection with one request at a time. It does as little work per request as Node allows, because
 * the load runs on the same machine as the server that it measures.
 */
export class Connection {
  #port;
  #timeoutMs;
  #socket;
  #waiting;
  #chunks = [];
  #size = 0;
  #needed = 0;

  constructor(port, timeoutMs = 60_000) {
    this.#port = port;
    this.#timeoutMs = timeoutMs;
  }

  /** Resolves with `{ status, head, body }`. Rejects when the connection breaks; the server may have executed the request. */
  send(head, body) {
    if (this.#waiting) throw new Error('One request at a time.');
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      const socket = (this.#socket ??= this.#open());
      socket.cork();
      socket.write(`${head}content-length: ${body.length}\r\n\r\n`, 'latin1');
      socket.write(body);
      socket.uncork();
    });
  }

  close() {
    this.#socket?.destroy();
  }

  #open() {
    const socket = connect({ port: this.#port, host: '127.0.0.1', noDelay: true });
    socket.setTimeout(this.#timeoutMs, () => socket.destroy(new Error('no response in time')));
    socket.on('data', (chunk) => this.#receive(chunk));
    socket.once('error', (error) => this.#lose(socket, error));
    socket.once('close', () => this.#lose(socket, new Error('connection closed')));
    return socket;
  }

  #receive(chunk) {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    if (this.#size < this.#needed) return;
    const data = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks);
    const end = data.indexOf('\r\n\r\n');
    if (end === -1) return;
    const head = data.latin1Slice(0, end + 2);
    const length = /\r\ncontent-length: (\d+)\r\n/i.exec(head);
    if (length === null) return this.#socket.destroy(new Error(`no content-length:\n${head}`));
    this.#needed = end + 4 + Number(length[1]);
    if (this.#size < this.#needed) return;
    this.#settle(({ resolve }) =>
      resolve({ status: Number(head.slice(9, 12)), head, body: data.subarray(end + 4) }),
    );
    if (/\r\nconnection: close\r\n/i.test(head)) this.#drop();
  }

  #lose(socket, error) {
    if (this.#socket !== socket) return;
    this.#socket = undefined;
    this.#settle(({ reject }) => reject(error));
  }

  #drop() {
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.destroy();
  }

  #settle(act) {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    this.#chunks = [];
    this.#size = 0;
    this.#needed = 0;
    if (waiting) act(waiting);
  }
}

/** The part of a request's head that is always the same; `send` adds the content length. */
export function requestHead(path, key) {
  return (
    `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n` +
    `authorization: Basic ${btoa(`api:${key}`)}\r\n`
  );
}
