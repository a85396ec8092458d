import type { IncomingMessage } from 'node:http';

/** Up to this much the server reads of a refused body. A client that is still sending sees the response only then. */
const DRAIN_MAX_BYTES = 64 * 1024 * 1024;
const DRAIN_MAX_MS = 10_000;
/** A refused body must not use the time of other requests: 20 MiB per second suffice. */
const BURST_BYTES = 1024 * 1024;
const BURST_MS = 50;

/**
 * Reads the rest of a body that was refused, and discards it. Closing the connection at once would reset it, and the client would
 * see a broken connection instead of the reason. A client that sends for longer is disconnected.
 */
export function drainRefused(
  request: IncomingMessage,
  { maxBytes = DRAIN_MAX_BYTES, maxMs = DRAIN_MAX_MS } = {},
): void {
  if (request.complete || request.destroyed) return;
  let left = maxBytes;
  const disconnect = () => request.socket.destroy();
  const timer = setTimeout(disconnect, maxMs).unref();
  request.once('close', () => clearTimeout(timer));
  request.once('end', () => clearTimeout(timer));
  let burst = 0;
  request.on('data', (bytes: Buffer) => {
    left -= bytes.length;
    burst += bytes.length;
    if (left < 0) disconnect();
    if (burst < BURST_BYTES) return;
    burst = 0;
    request.pause();
    setTimeout(() => request.resume(), BURST_MS).unref();
  });
}
