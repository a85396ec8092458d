import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const CLIENTS = 200;

/** Bodies that are announced with 30 MB and arrive byte by byte. */
export default {
  name: 'slow-bodies',
  what: '200 bodies that are announced with 30 MB and arrive byte by byte',
  role: 'ingest',
  clients: CLIENTS,
  async attack({ port, signal, key }) {
    const socket = connect({ port, host: '127.0.0.1' });
    let reply = '';
    socket.on('error', () => undefined);
    socket.on('data', (data) => (reply += data.toString('latin1', 0, 100)));
    socket.write(
      `POST /call/start HTTP/1.1\r\nhost: test\r\nauthorization: Bearer ${key}\r\ncontent-length: 30000000\r\n\r\n{`,
    );
    while (!signal.aborted && !socket.destroyed && reply === '') {
      socket.write(' ');
      await sleep(100);
    }
    socket.destroy();
    return reply === '' ? 'open' : { status: Number(reply.slice(9, 12)) };
  },
};
