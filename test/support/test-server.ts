import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

const BUSY_RETRIES = 20;
/** Each after the five seconds in which the server waits for a worker. */
const PENDING_RETRIES = 10;

export interface TestResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Parses the body; throws when it is not JSON. */
  json<T = any>(): T;
}

export interface RequestOptions {
  readonly key?: string | null;
  readonly headers?: Record<string, string>;
  readonly method?: string;
}

/** A client of a running server: HTTP with an API key. */
export class TestServer {
  constructor(
    readonly url: string,
    readonly key: string,
  ) {}

  /** Sends an object as JSON, or a text as it is, and resolves with the response whatever its status. */
  /** Retries while large bodies of other specs use the memory of the shared server, as clients do. */
  async send(path: string, body?: unknown, options: RequestOptions = {}): Promise<TestResponse> {
    for (let retries = 0; ; retries++) {
      const response = await this.sendOnce(path, body, options);
      const isBusy = response.status === 503 && response.text.includes('"bodies_busy"');
      if (!isBusy || retries === BUSY_RETRIES) return response;
      await pause(1000);
    }
  }

  private async sendOnce(
    path: string,
    body: unknown,
    options: RequestOptions,
  ): Promise<TestResponse> {
    const { key = this.key, headers = {}, method = 'POST' } = options;
    const reply = await fetch(this.url + path, {
      method,
      headers: {
        'content-type': 'application/json',
        ...(key === null ? {} : { authorization: `Basic ${btoa(`api:${key}`)}` }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: asBody(body) }),
    });
    const text = await reply.text();
    return {
      status: reply.status,
      headers: reply.headers,
      text,
      json: <T>() => JSON.parse(text) as T,
    };
  }

  /**
   * The JSON of a response with status 200. Any other status is an error with the whole response in it. A write that a slow machine has
   * not stored yet is sent again, as clients do.
   */
  async post<T = any>(path: string, body: unknown): Promise<T> {
    let response = await this.send(path, body);
    for (let retries = 0; isPending(response) && retries < PENDING_RETRIES; retries++)
      response = await this.send(path, body);
    if (response.status !== 200)
      throw new Error(`${path} responded with ${response.status}: ${response.text}`);
    return response.json<T>();
  }
}

const isPending = ({ status, text }: TestResponse) =>
  status === 503 && text.includes('"write_pending"');

function asBody(body: unknown): string | Uint8Array<ArrayBuffer> {
  if (typeof body === 'string') return body;
  return body instanceof Uint8Array ? new Uint8Array(body) : JSON.stringify(body);
}

/** The server that the e2e project has started. */
export function sharedServer(): TestServer {
  return new TestServer(process.env['TEST_URL']!, process.env['TEST_KEY']!);
}

/** A new project: tests share a server and do not share projects. */
export const aProject = (): string => `acme/p-${randomUUID().slice(0, 8)}`;
