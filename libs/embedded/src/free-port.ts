import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { hasCode } from './process-identity.js';

/**
 * Below the ephemeral ports of operating systems: an outgoing connection could use such a port just when a restarted
 * child needs it again.
 */
const LOWEST = 20_000;
const HIGHEST = 32_000;

export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(LOWEST, HIGHEST);
    if (await isFree(port)) return port;
  }
}

/** Whether a server can listen on the port now. */
export function isFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error) =>
      hasCode(error, 'EADDRINUSE') ? resolve(false) : reject(error),
    );
    server.listen(port, host, () => server.close(() => resolve(true)));
  });
}
