import { parentPort, workerData } from 'node:worker_threads';
import { Connection, type EnginePlace } from './connection.js';
import { loadEngine } from './engine.js';
import type { StreamAnswer, StreamAsk } from './stream-thread.js';

if (!parentPort) throw new Error('The stream worker runs as a thread of the ClickHouse host.');
const port = parentPort;
const connection = new Connection(loadEngine(), workerData as EnginePlace);
let blocks: AsyncGenerator<Uint8Array, void> | undefined;

port.on('message', (ask: StreamAsk) => void reply(ask));

async function reply(ask: StreamAsk): Promise<void> {
  const answer = await follow(ask).catch((error: unknown): StreamAnswer => ({
    kind: 'failed',
    reason: error instanceof Error ? error.message : String(error),
  }));
  port.postMessage(answer);
}

async function follow(ask: StreamAsk): Promise<StreamAnswer> {
  switch (ask.kind) {
    case 'start':
      await connection.use(ask.database);
      blocks = connection.stream(ask.sql, ask.format, ask.maxSeconds);
      return nextBlock();
    case 'next':
      return nextBlock();
    case 'stop':
      await blocks?.return();
      return { kind: 'over' };
  }
}

async function nextBlock(): Promise<StreamAnswer> {
  const next = await blocks?.next();
  return next?.value ? { kind: 'block', bytes: next.value } : { kind: 'over' };
}
