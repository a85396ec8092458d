import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { hasCode } from './process-identity.js';

/**
 * Below the ports that systems lend to outgoing connections: a lent port could be in use for a moment
 * just when a restarted child wants its own back.
 */
const LOWEST = 20_000;
const HIGHEST = 32_000;

export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(LOWEST, HIGHEST);
    if (await isFree(port)) return port;
  }
}

/** Whether a server could listen there now. */
export function isFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error) =>
      hasCode(error, 'EADDRINUSE') ? resolve(false) : reject(error),
    );
    server.listen(port, host, () => server.close(() => resolve(true)));
  });
}
