import { connect } from 'node:net';

const TIMEOUT_MS = 1_000;

/** Resolves when Redis accepts commands. Rejects while it is down or still loading its append-only file. */
export function probeRedis(port: number, password: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let reply = '';
    const socket = connect({ port, host: '127.0.0.1' });
    const finish = (error?: Error) => {
      socket.destroy();
      if (error) reject(error);
      else resolve();
    };
    socket.setTimeout(TIMEOUT_MS, () => finish(new Error('Redis did not reply in time.')));
    socket.once('error', finish);
    socket.once('end', () => finish(new Error('Redis closed the connection.')));
    socket.once('connect', () => socket.write(`AUTH ${password}\r\nPING\r\n`));
    socket.on('data', (chunk) => {
      reply += chunk.toString('latin1');
      if (reply.includes('+PONG')) finish();
      else if (reply.includes('-')) finish(new Error(reply.trim()));
    });
  });
}
