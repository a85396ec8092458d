// What compressing responses costs the query process, and what it saves: the same reads with each encoding.
import { request } from 'node:http';
import { cpuMicros } from '../support/proc-cpu.mjs';

const ENCODINGS = ['identity', 'gzip', 'br'];
const ROUNDS = 5;

/** A row for each read and encoding: bytes sent, and the time and the CPU of the query process per response (medians, means). */
export async function responseEncodings(server, project) {
  const page = {
    project_id: project,
    limit: 50,
    sort_by: [{ field: 'started_at', direction: 'desc' }],
  };
  const reads = [
    ['one call', { ...page, limit: 1 }],
    ['50 calls', page],
    ['20,000 calls', { ...page, limit: 20_000 }],
  ];
  const rows = [];
  for (const [read, body] of reads) {
    for (const encoding of ENCODINGS) {
      await received(server, body, encoding);
      rows.push({ read, encoding, ...(await measured(server, body, encoding)) });
    }
  }
  return rows;
}

async function measured(server, body, encoding) {
  const walls = [];
  let bytes = 0;
  const before = cpuMicros(server.query.pid);
  for (let i = 0; i < ROUNDS; i++) {
    const started = performance.now();
    bytes = await received(server, body, encoding);
    walls.push(performance.now() - started);
  }
  const cpu = (cpuMicros(server.query.pid) - before) / ROUNDS / 1000;
  walls.sort((a, b) => a - b);
  return { bytes, wall_p50: Math.round(walls[ROUNDS >> 1]), query_cpu: Math.round(cpu) };
}

/** The number of bytes of the body as it was sent. `fetch` would decompress it. */
function received({ query, key }, body, encoding) {
  return new Promise((resolve, reject) => {
    const headers = {
      'content-type': 'application/json',
      'accept-encoding': encoding,
      authorization: `Basic ${btoa(`api:${key}`)}`,
    };
    const options = { host: '127.0.0.1', port: query.port, path: '/calls/stream_query' };
    const sent = request({ ...options, method: 'POST', headers }, (response) => {
      const got = response.headers['content-encoding'] ?? 'identity';
      if (response.statusCode !== 200 || (got !== encoding && got !== 'identity'))
        reject(new Error(`${response.statusCode} with ${got} instead of ${encoding}`));
      let bytes = 0;
      response.on('data', (piece) => (bytes += piece.length));
      response.on('end', () => resolve(bytes));
      response.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(JSON.stringify(body));
  });
}
