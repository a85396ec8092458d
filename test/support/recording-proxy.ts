import { once } from 'node:events';
import {
  createServer,
  request,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Exchange {
  readonly method: string;
  readonly path: string;
  /** 502 when the server did not respond. */
  readonly status: number;
}

/** A proxy that forwards requests unchanged, and records each request with the status of its response. */
export class RecordingProxy {
  readonly exchanges: Exchange[] = [];

  private constructor(
    private readonly server: Server,
    private readonly target: URL,
  ) {
    server.on('request', (requested: IncomingMessage, response: ServerResponse) => {
      this.pass(requested, response);
    });
  }

  static async to(url: string): Promise<RecordingProxy> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new RecordingProxy(server, new URL(url));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** The requests to a missing route and those that failed on the server, as `404 POST /x`. */
  failures(): string[] {
    return this.exchanges
      .filter(({ status }) => status === 404 || status >= 500)
      .map(({ method, path, status }) => `${status} ${method} ${path}`);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private pass(requested: IncomingMessage, response: ServerResponse): void {
    const { method = 'GET', url: path = '/', headers } = requested;
    const { hostname, port } = this.target;
    const onward = request({ hostname, port, method, path, headers }, (reply) => {
      this.exchanges.push({ method, path, status: reply.statusCode ?? 0 });
      response.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.pipe(response);
    });
    onward.on('error', () => {
      if (response.headersSent) return void response.destroy();
      this.exchanges.push({ method, path, status: 502 });
      response.writeHead(502).end();
    });
    requested.pipe(onward);
  }
}
