import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A TCP proxy that can refuse connections, cut them, or lose a response. */
export class FlakyProxy {
  private readonly sockets = new Set<Socket>();
  private isDisconnected = false;
  private losesNextResponse = false;

  private constructor(
    private readonly server: Server,
    private readonly target: URL,
  ) {
    server.on('connection', (client: Socket) => this.pass(client));
  }

  static async to(url: string): Promise<FlakyProxy> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new FlakyProxy(server, new URL(url));
  }

  /** The address of the proxy. */
  get url(): string {
    const through = new URL(this.target);
    through.port = String((this.server.address() as AddressInfo).port);
    return through.href;
  }

  disconnect(): void {
    this.isDisconnected = true;
    this.cut();
  }

  reconnect(): void {
    this.isDisconnected = false;
  }

  /** The server executes the next request, but the connection breaks before the client gets the response. */
  loseNextResponse(): void {
    this.losesNextResponse = true;
  }

  async close(): Promise<void> {
    this.cut();
    this.server.close();
    await once(this.server, 'close');
  }

  private cut(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  private pass(client: Socket): void {
    if (this.isDisconnected) return void client.destroy();
    const server = connect(Number(this.target.port), this.target.hostname);
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.sockets.add(socket);
      socket.on('error', () => undefined); // connections are cut on purpose
      socket.on('close', () => {
        this.sockets.delete(socket);
        other.destroy();
      });
    }
    client.pipe(server);
    server.on('data', (data: Buffer) => {
      if (!this.losesNextResponse) return void client.write(data);
      this.losesNextResponse = false;
      client.destroy();
    });
  }
}
