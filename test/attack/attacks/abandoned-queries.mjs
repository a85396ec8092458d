import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import payloadConditions from './payload-conditions.mjs';

/** ClickHouse plans a statement to its end, also when the client has left. */
export default {
  name: 'abandoned-queries',
  what: 'queries with 24 conditions on payloads whose clients leave after 200 ms, sixteen at once',
  role: 'read',
  clients: 16,
  prepare: payloadConditions.prepare,
  async attack({ port, key, project }) {
    const $or = Array.from({ length: 24 }, (_, i) => ({
      $eq: [{ $getField: `inputs.k${i}` }, { $literal: `v${i}` }],
    }));
    const body = JSON.stringify({ project_id: project, query: { $expr: { $or } } });
    const socket = connect({ port, host: '127.0.0.1' });
    socket.on('error', () => undefined);
    socket.write(
      `POST /calls/query HTTP/1.1\r\nhost: test\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
    await sleep(200);
    socket.destroy();
    return 'left';
  },
};
