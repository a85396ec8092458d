import type { IncomingMessage } from 'node:http';

/** Up to this much the server reads of a refused body. A client that is still sending sees the response only then. */
const DRAIN_MAX_BYTES = 64 * 1024 * 1024;
const DRAIN_MAX_MS = 10_000;
/** Refused bodies must not use the time of other requests. All of them together are read at about 80 MiB per second. */
const TURN_MS = 50;
const READS_PER_TURN = 64;

/** Those that have been read in this turn already, the longest wait first. */
const paused = new Set<IncomingMessage>();
let readsLeft = READS_PER_TURN;
let turns: NodeJS.Timeout | undefined;

function takeTurn(request: IncomingMessage): void {
  turns ??= setInterval(nextTurn, TURN_MS).unref();
  if (--readsLeft > 0) return;
  paused.add(request);
  request.pause();
}

function nextTurn(): void {
  if (paused.size === 0 && readsLeft === READS_PER_TURN) {
    clearInterval(turns);
    turns = undefined;
    return;
  }
  readsLeft = READS_PER_TURN;
  for (const request of [...paused].slice(0, READS_PER_TURN)) {
    paused.delete(request);
    request.resume();
  }
}

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
  request.once('close', () => {
    clearTimeout(timer);
    paused.delete(request);
  });
  request.once('end', () => clearTimeout(timer));
  request.on('data', (bytes: Buffer) => {
    left -= bytes.length;
    if (left < 0) disconnect();
    else takeTurn(request);
  });
}
