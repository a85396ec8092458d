import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** Stands between a client and a server, and fails as networks do. */
export class Gate {
  private readonly sockets = new Set<Socket>();
  private isShut = false;
  private losesNextResponse = false;

  private constructor(
    private readonly server: Server,
    private readonly to: URL,
  ) {
    server.on('connection', (client: Socket) => this.pass(client));
  }

  static async before(url: string): Promise<Gate> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Gate(server, new URL(url));
  }

  /** The way through the gate. */
  get url(): string {
    const through = new URL(this.to);
    through.port = String((this.server.address() as AddressInfo).port);
    return through.href;
  }

  shut(): void {
    this.isShut = true;
    this.cut();
  }

  open(): void {
    this.isShut = false;
  }

  /** The server does what it is requested next, but the connection breaks before anybody hears of it. */
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
    if (this.isShut) return void client.destroy();
    const server = connect(Number(this.to.port), this.to.hostname);
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.sockets.add(socket);
      socket.on('error', () => undefined); // breaking is what it is for
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
