import { connect } from 'node:net';

const TIMEOUT_MS = 1_000;

/** Resolves when Redis takes commands; rejects while it is down or still loads its append-only file. */
export function probeRedis(port: number, password: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let heard = '';
    const socket = connect({ port, host: '127.0.0.1' });
    const conclude = (error?: Error) => {
      socket.destroy();
      if (error) reject(error);
      else resolve();
    };
    socket.setTimeout(TIMEOUT_MS, () => conclude(new Error('Redis does not answer.')));
    socket.once('error', conclude);
    socket.once('end', () => conclude(new Error('Redis closed the connection.')));
    socket.once('connect', () => socket.write(`AUTH ${password}\r\nPING\r\n`));
    socket.on('data', (chunk) => {
      heard += chunk.toString('latin1');
      if (heard.includes('+PONG')) conclude();
      else if (heard.includes('-')) conclude(new Error(heard.trim()));
    });
  });
}
