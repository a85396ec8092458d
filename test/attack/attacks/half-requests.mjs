import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const CLIENTS = 50;
const SOCKETS = 200;
const HEAD = 'POST /call/start HTTP/1.1\r\nhost: test\r\nx-slow: ';

/** Ten thousand connections, each with half of a head, from another address than the victim's. */
export default {
  name: 'half-requests',
  what: '10,000 connections without a key that send half of a request',
  role: 'none',
  clients: CLIENTS,
  async attack({ port, signal }) {
    const sockets = [];
    for (let i = 0; i < SOCKETS && !signal.aborted; i++) {
      const socket = connect({ port, host: '127.0.0.1', localAddress: '127.0.0.2' });
      socket.on('error', () => undefined);
      socket.write(HEAD);
      sockets.push(socket);
      if (i % 20 === 0) await sleep(1);
    }
    while (!signal.aborted) await sleep(50);
    for (const socket of sockets) socket.destroy();
    return 'open';
  },
};
