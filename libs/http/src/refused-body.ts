import type { IncomingMessage } from 'node:http';

/** Up to this much the server reads of a refused body. A client that is still sending sees the response only then. */
const DRAIN_MAX_BYTES = 64 * 1024 * 1024;
const DRAIN_MAX_MS = 10_000;
/** Refused bodies must not use the time of other requests. All of them together are read at about 80 MiB per second. */
const TURN_MS = 50;
const READS_PER_TURN = 64;

/** The rest of a smaller body is in flight already, and is read at once. */
const SMALL_BYTES = 64 * 1024;
/**
 * Large refused bodies of one caller, and of all, that are read at the same time. Others get their response later, and until then their
 * clients send little. Without this, four clients had 1,300 connections within ten seconds, with 2 GB in the memory of the kernel:
 * its share for TCP was used up, and it dropped the packets of all clients, which come again after 0.2 s.
 */
const CALLER_MAX = 8;
const TOTAL_MAX = 32;

interface Waiting {
  readonly caller: string;
  readonly start: () => void;
}

/** Decides which large refused bodies are read, in the order of arrival. */
class RefusedBodies {
  private readonly byCaller = new Map<string, number>();
  private readonly waiting = new Set<Waiting>();
  private total = 0;

  /** Calls `start` with the release of a place when there is one, or without after `maxMs`. */
  take(caller: string, maxMs: number, start: (release?: () => void) => void): void {
    if (this.mayStart(caller)) {
      start(this.count(caller));
      return;
    }
    const one: Waiting = {
      caller,
      start: () => {
        clearTimeout(timer);
        this.waiting.delete(one);
        start(this.count(caller));
      },
    };
    const timer = setTimeout(() => {
      this.waiting.delete(one);
      start();
    }, maxMs).unref();
    this.waiting.add(one);
  }

  private mayStart(caller: string): boolean {
    return this.total < TOTAL_MAX && (this.byCaller.get(caller) ?? 0) < CALLER_MAX;
  }

  private count(caller: string): () => void {
    this.add(caller, 1);
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      this.add(caller, -1);
      for (const one of this.waiting) if (this.mayStart(one.caller)) one.start();
    };
  }

  private add(caller: string, change: 1 | -1): void {
    const count = (this.byCaller.get(caller) ?? 0) + change;
    if (count === 0) this.byCaller.delete(caller);
    else this.byCaller.set(caller, count);
    this.total += change;
  }
}

const refused = new RefusedBodies();

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

interface DrainLimits {
  readonly maxBytes?: number;
  readonly maxMs?: number;
}

/**
 * Refuses a request by calling `respond`, and reads the rest of its body, which it discards. Closing the connection at once would reset
 * it, and the client would see a broken connection instead of the reason. A client that sends for longer is disconnected. Of many large
 * bodies of a caller, some get their response later.
 */
export function refuseBody(
  request: IncomingMessage,
  caller: string,
  respond: () => void,
  { maxBytes = DRAIN_MAX_BYTES, maxMs = DRAIN_MAX_MS }: DrainLimits = {},
): void {
  if (request.complete || request.destroyed) respond();
  else if (isSmall(request)) {
    drain(request, maxBytes, maxMs);
    respond();
  } else
    refused.take(caller, maxMs, (release) => {
      if (request.socket.destroyed) {
        release?.();
        return;
      }
      // Without a place nothing is read: the client is disconnected soon.
      drain(request, release ? maxBytes : 0, maxMs, release);
      respond();
    });
}

const isSmall = ({ headers }: IncomingMessage): boolean =>
  Number(headers['content-length'] ?? Infinity) <= SMALL_BYTES;

/** Calls `onEnd` when nothing more is read. */
function drain(
  request: IncomingMessage,
  maxBytes: number,
  maxMs: number,
  onEnd?: () => void,
): void {
  const { socket } = request;
  let left = maxBytes;
  const disconnect = () => socket.destroy();
  const timer = setTimeout(disconnect, maxMs).unref();
  // A request whose response was sent before its body has arrived does not learn that its connection was closed.
  const end = () => {
    clearTimeout(timer);
    paused.delete(request);
    socket.off('close', end);
    request.off('end', end);
    onEnd?.();
  };
  socket.once('close', end);
  request.once('end', end);
  request.on('data', (bytes: Buffer) => {
    left -= bytes.length;
    if (left < 0) disconnect();
    else takeTurn(request);
  });
}
