import workerUrl from './payload.worker.ts?worker&url';
import type { JsonSource } from './json-source.js';
import type { PayloadCalls, PayloadReply, PayloadRequest } from './payload-messages.js';

interface ScriptPolicy {
  createScriptURL(url: string): unknown;
}
interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL: (url: string) => string }): ScriptPolicy;
}

/** The only script that the page starts by its address. The content security policy allows no other policy. */
const NAME = 'heddle-worker';
let policy: ScriptPolicy | undefined;

function trustedWorkerUrl(): string {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  if (trustedTypes === undefined) return workerUrl;
  policy ??= trustedTypes.createPolicy(NAME, {
    createScriptURL: (url) => {
      if (url !== workerUrl) throw new TypeError('Only the worker of payloads may be started.');
      return url;
    },
  });
  // The constructor accepts the trusted object; its type does not say so.
  return policy.createScriptURL(workerUrl) as string;
}

export interface OpenPayload extends JsonSource {
  readonly bytes: number;
}

/** Reads a payload in a worker. It ends when the view is closed. */
export async function openPayload(
  request: PayloadRequest,
  onProgress: (bytes: number, total: number) => void,
  signal: AbortSignal,
): Promise<OpenPayload> {
  const worker = new Worker(trustedWorkerUrl(), { type: 'module' });
  signal.addEventListener('abort', () => worker.terminate());
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let last = 0;
  worker.addEventListener('message', ({ data }: MessageEvent<PayloadReply>) => {
    if ('bytes' in data) onProgress(data.bytes, data.total);
    else {
      const { resolve, reject } = waiting.get(data.call)!;
      waiting.delete(data.call);
      if ('error' in data) reject(new Error(data.error));
      else resolve(data.result);
    }
  });
  const call = <Name extends keyof PayloadCalls>(
    name: Name,
    ...args: PayloadCalls[Name]['args']
  ): Promise<PayloadCalls[Name]['result']> => {
    const reply = withResolvers();
    waiting.set(++last, reply);
    worker.postMessage({ call: last, name, args });
    return reply.promise as Promise<PayloadCalls[Name]['result']>;
  };
  const bytes = await call('open', request);
  return {
    bytes,
    rows: (rows) => call('rows', rows),
    value: (keys, max) => call('value', keys, max),
    search: (query, nth) => call('search', query, nth),
    blob: () => call('blob'),
  };
}

interface PromiseWithResolvers<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (error: unknown) => void;
}

function withResolvers(): PromiseWithResolvers<unknown> {
  let resolve!: (value: unknown) => void;
  let reject!: (error: unknown) => void;
  const promise = new Promise<unknown>((onResult, onError) => {
    resolve = onResult;
    reject = onError;
  });
  return { promise, resolve, reject };
}
