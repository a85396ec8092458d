import { createHmac, randomBytes } from 'node:crypto';
import { request as httpRequest, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIPv4, type LookupFunction } from 'node:net';
import { messageOf } from '@app/errors';
import {
  WebhookRefusedError,
  type WebhookAddresses,
  type WebhookTarget,
} from './webhook-address.js';
import type { Webhook } from './alert-rule.js';

/** From the resolution of the host to the headers of the response. */
const WEBHOOK_TIMEOUT_MS = 10_000;
const SECRET_PREFIX = 'whsec_';

export interface WebhookMessage {
  /** The same for every attempt, so that the receiver can drop repetitions. */
  readonly id: string;
  /** JSON. */
  readonly body: string;
}

export interface WebhookResult {
  /** Null without a response. */
  readonly status: number | null;
  readonly tookMs: number;
  /** Null when the receiver has accepted the message. */
  readonly error: string | null;
  /** Whether another attempt could succeed. */
  readonly isRetriable: boolean;
}

export const newWebhookSecret = (): string => SECRET_PREFIX + randomBytes(32).toString('base64');

/** The signature of Standard Webhooks: HMAC-SHA256 of id, timestamp and body. */
export function signatureOf(secret: string, id: string, timestamp: number, body: string): string {
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
}

/** Sends signed messages. It follows no redirect and reads no response body, so that a response reveals only its status. */
export class WebhookSender {
  constructor(
    private readonly addresses: WebhookAddresses,
    private readonly timeoutMs = WEBHOOK_TIMEOUT_MS,
  ) {}

  /** Never rejects. */
  async send(
    { url, secret }: Webhook,
    message: WebhookMessage,
    signal?: AbortSignal,
  ): Promise<WebhookResult> {
    const startedAt = performance.now();
    const took = () => Math.round(performance.now() - startedAt);
    const timeout = AbortSignal.timeout(this.timeoutMs);
    const until = signal === undefined ? timeout : AbortSignal.any([timeout, signal]);
    try {
      const target = await untilAborted(this.addresses.resolve(url), until);
      const status = await post(target, secret, message, until);
      return { status, tookMs: took(), ...outcomeOf(status) };
    } catch (error) {
      const isRefused = error instanceof WebhookRefusedError;
      const text = timeout.aborted
        ? `The receiver did not respond within ${this.timeoutMs / 1000} s.`
        : isRefused
          ? error.message
          : `The receiver could not be reached: ${messageOf(error).slice(0, 200)}`;
      return { status: null, tookMs: took(), error: text, isRetriable: !isRefused };
    }
  }
}

function outcomeOf(status: number): Pick<WebhookResult, 'error' | 'isRetriable'> {
  if (status >= 200 && status < 300) return { error: null, isRetriable: false };
  if (status >= 300 && status < 400)
    return {
      error: `The receiver responded with ${status}; redirects are not followed.`,
      isRetriable: false,
    };
  const isRetriable = status >= 500 || [408, 425, 429].includes(status);
  return { error: `The receiver responded with ${status}.`, isRetriable };
}

async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  // The resolution of a host cannot be cancelled; its late result is ignored.
  work.catch(() => undefined);
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(new Error('aborted'));
    if (signal.aborted) return onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

/** Resolves to the status. */
function post(
  { url, address }: WebhookTarget,
  secret: string,
  { id, body }: WebhookMessage,
  signal: AbortSignal,
): Promise<number> {
  const timestamp = Math.floor(Date.now() / 1000);
  const family = isIPv4(address) ? 4 : 6;
  const toAddress: LookupFunction = (_host, options, done) => {
    if (options.all) done(null, [{ address, family }]);
    else done(null, address, family);
  };
  const options: RequestOptions = {
    method: 'POST',
    agent: false,
    signal,
    lookup: toAddress,
    headers: {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'user-agent': 'heddle',
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signatureOf(secret, id, timestamp, body),
    },
  };
  return new Promise((resolve, reject) => {
    const open = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const sent = open(url, options, (response) => {
      resolve(response.statusCode ?? 0);
      response.destroy();
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
