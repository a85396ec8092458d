import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface CollectedSpan {
  readonly service: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: unknown }[];
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly status?: { readonly code: number };
}

/** A collector of OTLP as JSON, which can be made to fail. */
export class OtlpCollector {
  readonly spans: CollectedSpan[] = [];
  requests = 0;
  lastHeaders: IncomingMessage['headers'] = {};
  mode: 'accept' | 'fail' | 'hang' = 'accept';
  /** Receives every accepted body as well. */
  forward: ((body: string) => Promise<unknown>) | undefined;
  private readonly server = createServer((request, response) => void this.take(request, response));

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1/traces`;
  }

  named(name: string): CollectedSpan[] {
    return this.spans.filter((span) => span.name === name);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.requests++;
    this.lastHeaders = request.headers;
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    if (this.mode === 'hang') return;
    if (this.mode === 'fail') {
      response.writeHead(500).end();
      return;
    }
    const body = Buffer.concat(pieces).toString();
    for (const { resource, scopeSpans } of JSON.parse(body).resourceSpans) {
      const service = resource.attributes.find(({ key }: any) => key === 'service.name');
      for (const { spans } of scopeSpans)
        for (const span of spans) this.spans.push({ ...span, service: service.value.stringValue });
    }
    await this.forward?.(body);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  }
}
