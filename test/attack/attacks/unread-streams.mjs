import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { storeCalls } from '../stored-calls.mjs';

/** Each client opens a stream of 40 MB and reads nothing of it. */
export default {
  name: 'unread-streams',
  what: '64 streams of calls that are never read',
  role: 'read',
  clients: 64,
  prepare: (target) => storeCalls(target, 2000, () => ({ text: 'x'.repeat(20_000) })),
  async attack({ port, signal, key, project }) {
    const body = JSON.stringify({ project_id: project });
    const socket = connect({ port, host: '127.0.0.1' });
    socket.on('error', () => undefined);
    socket.pause();
    socket.write(
      `POST /calls/stream_query HTTP/1.1\r\nhost: test\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
    while (!signal.aborted && !socket.destroyed) await sleep(50);
    socket.destroy();
    return 'open';
  },
};
