import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { AUTHENTICATION_FAILED, engineError } from './engine-errors.js';
import { plainHeaders, sendError } from './reply.js';
import { readBody } from './request-body.js';
import { parseRequest } from './request.js';
import type { StatementRunner } from './statement-runner.js';

/** Parameters travel in the URL unless the client is told otherwise. */
const MAX_HEADER_BYTES = 1024 ** 2;
/** Longer than a client keeps an idle socket, so that it never writes into one we are closing. */
const KEEP_ALIVE_MS = 60_000;

export interface Credentials {
  readonly user: string;
  readonly password: string;
}

export class HttpServer {
  private readonly server: Server;
  private readonly running = new Set<Promise<void>>();

  constructor(
    private readonly runner: StatementRunner,
    private readonly credentials: Credentials,
  ) {
    this.server = createServer(
      { maxHeaderSize: MAX_HEADER_BYTES, keepAliveTimeout: KEEP_ALIVE_MS, requestTimeout: 0 },
      (request, response) => this.track(this.respond(request, response)),
    );
  }

  listen(port: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(port, '127.0.0.1', resolve);
    });
  }

  /** Takes nothing new and resolves when the running statements are finished. */
  async drain(): Promise<void> {
    this.server.close();
    this.server.closeIdleConnections();
    await Promise.all(this.running);
  }

  private track(responding: Promise<void>): void {
    this.running.add(responding);
    void responding.finally(() => this.running.delete(responding));
  }

  private async respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const url = new URL(request.url ?? '/', 'http://127.0.0.1');
      if (url.pathname === '/ping') {
        response.writeHead(200, plainHeaders()).end('Ok.\n');
        return;
      }
      this.authenticate(request);
      const body = await readBody(request);
      await this.runner.run(parseRequest(url, request.headers, body, randomUUID()), response);
    } catch (error) {
      sendError(response, error);
    }
  }

  private authenticate({ headers }: IncomingMessage): void {
    const [, basic = ''] = /^Basic (.+)$/.exec(headers.authorization ?? '') ?? [];
    const given = Buffer.from(basic, 'base64').toString('utf8');
    const { user, password } = this.credentials;
    if (!isSame(given, `${user}:${password}`)) {
      throw engineError(
        AUTHENTICATION_FAILED,
        'AUTHENTICATION_FAILED',
        'Authentication failed: password is incorrect, or there is no user with such name.',
      );
    }
  }
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => createHash('sha256').update(text).digest());
  return a !== undefined && b !== undefined && timingSafeEqual(a, b);
}
