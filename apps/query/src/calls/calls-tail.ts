import { PassThrough, type Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { CallsTailRequest } from '@app/contracts';
import { ProblemError } from '@app/http';
import { counter } from '@app/observability';
import { CallChanges, isBefore, type Changes } from '@app/queue';
import { RateLimitedError } from '@app/redis';
import type { ReadContext } from '../read-context.js';
import { CallsReader } from './calls.reader.js';

const FAILURES = counter(
  'heddle_query_tail_failures_total',
  'Tails that ended because their query or Redis failed.',
  ['reason'],
);

/** At most four events a second. */
const POLL_MS = 250;
const FLUSHES_PER_POLL = 50;
const HEARTBEAT_MS = 15_000;
/** How often the key or session of a tail is checked. Keys are cached for five seconds. */
const CHECK_MS = 1000;
const TAILS_PER_PROCESS = 256;
const TAILS_PER_KEY = 16;
/** A client that reads too slowly to keep below this is disconnected, and can continue with its last event. */
const BUFFER_MAX_BYTES = 8 * 1024 * 1024;
const CURSOR = /^\d{1,15}-\d{1,20}$/;

interface TailEvent {
  readonly name: 'open' | 'calls' | 'gap' | 'end';
  readonly cursor?: string;
  readonly data: string;
}

/** A server-sent event. JSON has no line breaks of its own. */
const printed = ({ name, cursor, data }: TailEvent) =>
  `event: ${name}\n${cursor === undefined ? '' : `id: ${cursor}\n`}data: ${data}\n\n`;

/** One client that tails calls. */
class Tail {
  readonly stream = new PassThrough();
  /** Events after this cursor are not sent yet. */
  cursor = '';

  constructor(readonly keyId: string) {
    // The client has disconnected; `close` follows.
    this.stream.on('error', () => undefined);
  }

  send(text: string): void {
    if (this.stream.writableEnded || this.stream.destroyed) return;
    this.stream.write(text);
    if (this.stream.writableLength > BUFFER_MAX_BYTES) this.stream.destroy();
  }

  receive({ hasGap, cursor }: Changes, event: TailEvent | undefined): void {
    if (hasGap) this.send(printed(gapAt(cursor)));
    if (event !== undefined) this.send(printed(event));
    this.cursor = cursor;
  }

  end(reason: 'shutdown' | 'session_ended' | 'storage_unavailable'): void {
    this.send(printed({ name: 'end', data: JSON.stringify({ reason }) }));
    this.stream.end();
  }
}

/** All tails with the same conditions. One poll serves them. */
class Feed {
  readonly tails = new Set<Tail>();
  readonly abort = new AbortController();

  constructor(
    readonly key: string,
    readonly request: CallsTailRequest,
    readonly context: ReadContext,
    public cursor: string,
  ) {}
}

interface TailClient {
  /** Whether the key or the session of the client has not ended. */
  readonly isAccepted: () => Promise<boolean>;
  /** The id of the last event that the client has received. */
  readonly since: string | undefined;
}

/** Streams calls as they are written. */
@Injectable()
export class CallsTails implements OnModuleDestroy {
  private readonly feeds = new Map<string, Feed>();

  constructor(
    private readonly changes: CallChanges,
    private readonly calls: CallsReader,
  ) {}

  onModuleDestroy(): void {
    for (const feed of this.feeds.values()) {
      for (const tail of feed.tails) tail.end('shutdown');
      this.close(feed);
    }
  }

  /** Throws RateLimitedError when there are too many tails. */
  async open(
    request: CallsTailRequest,
    context: ReadContext,
    { isAccepted, since }: TailClient,
  ): Promise<Readable> {
    if (since !== undefined && !CURSOR.test(since)) {
      throw new ProblemError('invalid_request', 'since is not the id of an event.');
    }
    this.requireFree(context.principal.keyId);
    const now = await this.changes.watch(request.project_id);
    const feed = this.feedOf(request, context, now);
    const tail = new Tail(context.principal.keyId);
    tail.cursor = since ?? now;
    feed.tails.add(tail);
    const timers = [
      setInterval(() => tail.send(': heartbeat\n\n'), HEARTBEAT_MS),
      setInterval(() => void endUnless(tail, isAccepted), CHECK_MS),
    ];
    tail.stream.once('close', () => {
      timers.forEach(clearInterval);
      feed.tails.delete(tail);
      if (feed.tails.size === 0) this.close(feed);
    });
    tail.send(printed({ name: 'open', cursor: tail.cursor, data: '{}' }));
    return tail.stream;
  }

  private requireFree(keyId: string): void {
    const tails = [...this.feeds.values()].flatMap((feed) => [...feed.tails]);
    const ofKey = tails.filter((tail) => tail.keyId === keyId).length;
    if (tails.length < TAILS_PER_PROCESS && ofKey < TAILS_PER_KEY) return;
    const reason = `This API key has ${ofKey} tails and this process ${tails.length}; the limits are ${TAILS_PER_KEY} and ${TAILS_PER_PROCESS}.`;
    throw new RateLimitedError(reason, 5);
  }

  private feedOf(request: CallsTailRequest, context: ReadContext, cursor: string): Feed {
    const { project_id, filter, query, columns } = request;
    const { role } = context.principal;
    const key = JSON.stringify([role, project_id, filter, query, columns]);
    const known = this.feeds.get(key);
    if (known) return known;
    const abort = new AbortController();
    const ownContext = { ...context, signal: abort.signal, explanations: undefined };
    const feed = new Feed(key, request, ownContext, cursor);
    feed.abort.signal.addEventListener('abort', () => abort.abort());
    this.feeds.set(key, feed);
    void this.poll(feed);
    return feed;
  }

  private close(feed: Feed): void {
    feed.abort.abort();
    if (this.feeds.get(feed.key) === feed) this.feeds.delete(feed.key);
  }

  /** Ends when the feed has no tails. An error ends its tails, which can continue with their last event. */
  private async poll(feed: Feed): Promise<void> {
    try {
      while (!feed.abort.signal.aborted) {
        await this.broadcast(feed);
        for (const tail of feed.tails) await this.catchUp(feed, tail);
        await pause(POLL_MS);
      }
    } catch (error) {
      if (!feed.abort.signal.aborted) FAILURES.inc({ reason: (error as Error).name });
      // The client sees why when it connects again: the response has the status of the error.
      for (const tail of feed.tails) tail.end('storage_unavailable');
      this.close(feed);
    }
  }

  /** Sends the newest changes to all tails that have received everything before. */
  private async broadcast(feed: Feed): Promise<void> {
    const from = feed.cursor;
    const found = await this.changes.after(feed.request.project_id, from, '+', FLUSHES_PER_POLL);
    const event = await this.eventOf(found, feed);
    for (const tail of feed.tails) if (tail.cursor === from) tail.receive(found, event);
    feed.cursor = found.cursor;
  }

  /** Sends to a tail that continues after an interruption, or has just joined, what the others have received already. */
  private async catchUp(feed: Feed, tail: Tail): Promise<void> {
    while (isBefore(tail.cursor, feed.cursor) && !tail.stream.destroyed) {
      const { project_id } = feed.request;
      const from = tail.cursor;
      const found = await this.changes.after(project_id, from, feed.cursor, FLUSHES_PER_POLL);
      tail.receive(found, await this.eventOf(found, feed));
      if (found.cursor === from) tail.cursor = feed.cursor;
    }
  }

  private async eventOf(
    { calls, cursor }: Changes,
    { request, context }: Feed,
  ): Promise<TailEvent | undefined> {
    // The last change of a call counts.
    const byId = new Map(calls.map(({ id, isDeleted }) => [id, isDeleted]));
    const wanted = request.filter?.call_ids;
    const ids = [...byId.keys()].filter((id) => !wanted?.length || wanted.includes(id));
    if (ids.length === 0) return undefined;
    const deleted = ids.filter((id) => byId.get(id) === true);
    const records = await this.matching(
      request,
      ids.filter((id) => byId.get(id) === false),
      context,
    );
    if (records.length === 0 && deleted.length === 0) return undefined;
    const data = `{"calls":[${records.join(',')}],"deleted":${JSON.stringify(deleted)}}`;
    return { name: 'calls', cursor, data };
  }

  private async matching(
    { project_id, filter, query, columns }: CallsTailRequest,
    call_ids: string[],
    context: ReadContext,
  ): Promise<string[]> {
    if (call_ids.length === 0) return [];
    const records: string[] = [];
    const calls = this.calls.records(
      {
        project_id,
        filter: { ...filter, call_ids },
        query: query ?? null,
        columns: columns ?? null,
      },
      context,
    );
    for await (const block of calls) records.push(...block);
    return records;
  }
}

async function endUnless(tail: Tail, isAccepted: () => Promise<boolean>): Promise<void> {
  if (!(await isAccepted())) tail.end('session_ended');
}

const gapAt = (cursor: string): TailEvent => ({
  name: 'gap',
  cursor,
  data: JSON.stringify({ reason: 'Some changes are no longer known; query the calls again.' }),
});
