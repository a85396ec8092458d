import { once } from 'node:events';
import { createServer } from 'node:http';
import { forward } from './http-forward.mjs';

/** The client closes idle connections long before. */
const IDLE_MS = 60_000;

/** An HTTP proxy in front of ClickHouse. It responds to some requests with an error of ClickHouse, or loses their response. */
export class ErringProxy {
  /** The code of the error for a request with this path, or undefined to forward the request. */
  nextCode = () => undefined;
  /** Whether ClickHouse executes a request with this path, and the connection breaks before the client gets the response. */
  losesResponse = () => false;
  /** How often each code was sent. */
  sent = new Map();
  /** The number of lost responses. */
  lost = 0;
  #server;
  #port;

  constructor(server, { port }) {
    this.#server = server;
    this.#port = Number(port);
    server.on('request', (request, response) => {
      const code = this.nextCode(request.url);
      if (code === undefined) this.#forward(request, response);
      else this.#refuse(request, response, code);
    });
  }

  static async to(url) {
    const server = createServer({ keepAliveTimeout: IDLE_MS }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new ErringProxy(server, new URL(url));
  }

  get url() {
    return `http://127.0.0.1:${this.#server.address().port}`;
  }

  async close() {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  /** Reads the request to its end first, as ClickHouse does with an insert. */
  #refuse(request, response, code) {
    this.sent.set(code, (this.sent.get(code) ?? 0) + 1);
    request.resume().on('end', () => {
      response.writeHead(500, { 'x-clickhouse-exception-code': String(code) });
      response.end(`Code: ${code}. DB::Exception: Injected. (INJECTED_ERROR) (version 0)`);
    });
  }

  #forward(request, response) {
    const losesResponse = this.losesResponse(request.url);
    if (losesResponse) this.lost++;
    // Every request has a connection of its own: ClickHouse may close one that is idle just when a request uses it.
    const options = { port: this.#port, losesResponse, agent: false };
    // Without ClickHouse the connection breaks, as it does without the proxy.
    forward(request, response, options).catch(() => response.destroy());
  }
}
