import { parentPort, workerData } from 'node:worker_threads';
import { Connection, type EnginePlace } from './connection.js';
import { loadEngine } from './engine.js';
import type { StreamReply, StreamCommand } from './stream-thread.js';

if (!parentPort) throw new Error('The stream worker runs as a thread of the ClickHouse host.');
const port = parentPort;
const connection = new Connection(loadEngine(), workerData as EnginePlace);
let blocks: AsyncGenerator<Uint8Array, void> | undefined;

port.on('message', (command: StreamCommand) => void handle(command));

async function handle(command: StreamCommand): Promise<void> {
  const reply = await follow(command).catch((error: unknown): StreamReply => ({
    kind: 'failed',
    reason: error instanceof Error ? error.message : String(error),
  }));
  port.postMessage(reply);
}

async function follow(command: StreamCommand): Promise<StreamReply> {
  switch (command.kind) {
    case 'start':
      await connection.use(command.database);
      blocks = connection.stream(command.sql, command.format, command.maxSeconds);
      return nextBlock();
    case 'next':
      return nextBlock();
    case 'stop':
      await blocks?.return();
      return { kind: 'over' };
  }
}

async function nextBlock(): Promise<StreamReply> {
  const next = await blocks?.next();
  return next?.value ? { kind: 'block', bytes: next.value } : { kind: 'over' };
}
