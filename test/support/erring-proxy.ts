import { once } from 'node:events';
import {
  createServer,
  request,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

/** An HTTP proxy in front of ClickHouse that responds to some requests with an error of ClickHouse. */
export class ErringProxy {
  /** The code of the error for the next request, or undefined to forward it. */
  nextCode: () => number | undefined = () => undefined;
  /** How often each code was sent. */
  readonly sent = new Map<number, number>();

  private constructor(
    private readonly server: Server,
    private readonly target: URL,
  ) {
    server.on('request', (requested: IncomingMessage, response: ServerResponse) => {
      const code = this.nextCode();
      if (code === undefined) this.forward(requested, response);
      else this.refuse(requested, response, code);
    });
  }

  static async to(url: string): Promise<ErringProxy> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new ErringProxy(server, new URL(url));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  /** Reads the request to its end first, as ClickHouse does with an insert. */
  private refuse(requested: IncomingMessage, response: ServerResponse, code: number): void {
    this.sent.set(code, (this.sent.get(code) ?? 0) + 1);
    requested.resume().on('end', () => {
      response.writeHead(500, { 'x-clickhouse-exception-code': String(code) });
      response.end(`Code: ${code}. DB::Exception: Injected. (INJECTED_ERROR) (version 0)`);
    });
  }

  private forward(requested: IncomingMessage, response: ServerResponse): void {
    const { method = 'GET', url: path = '/', headers } = requested;
    const { hostname, port } = this.target;
    const onward = request({ hostname, port, method, path, headers }, (reply) => {
      response.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.pipe(response);
    });
    onward.on('error', () => response.destroy());
    requested.pipe(onward);
  }
}
