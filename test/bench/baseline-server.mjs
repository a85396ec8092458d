// The two baselines for Heddle, on the same Redis, ClickHouse and table layout. `sync` inserts the rows of a request and
// then responds. `producer` and `worker` add and process one BullMQ job per event.
import { createClient } from '@clickhouse/client';
import { Queue, Worker } from 'bullmq';
import fastify from 'fastify';
import { INSERT_SETTINGS, rowOf } from './baseline-rows.mjs';

const [role, table] = process.argv.slice(2);
const { CLICKHOUSE_URL, CLICKHOUSE_USER, CLICKHOUSE_PASSWORD, REDIS_URL, PORT } = process.env;
const QUEUE = 'bench-events';
const CONCURRENCY = 100;

const app = fastify({ bodyLimit: 64 * 1024 ** 2 });
app.get('/healthz', () => 'ok');

const connection = () => {
  const { hostname, port, password } = new URL(REDIS_URL);
  return { host: hostname, port: Number(port), password, maxRetriesPerRequest: null };
};
const clickhouse = () =>
  createClient({ url: CLICKHOUSE_URL, username: CLICKHOUSE_USER, password: CLICKHOUSE_PASSWORD });

const roles = { sync, producer, worker };
roles[role]();
await app.listen({ host: '127.0.0.1', port: Number(PORT) });
process.stdin.on('end', () => process.exit(0)).resume();

function sync() {
  const client = clickhouse();
  app.post('/call/upsert_batch', async ({ body }) => {
    await insert(client, body.batch.map(rowOf));
    return response(body.batch);
  });
}

function producer() {
  const queue = new Queue(QUEUE, { connection: connection() });
  app.post('/call/upsert_batch', async ({ body }) => {
    await queue.addBulk(body.batch.map((data) => ({ name: 'event', data, opts: JOB })));
    return response(body.batch);
  });
  app.get('/pending', async () => String(await queue.getJobCountByTypes('waiting', 'active')));
}

const JOB = { removeOnComplete: true };

/** Rows that arrive during an insert are inserted together by the next one. */
function worker() {
  const client = clickhouse();
  let waiting = [];
  let running;
  const flush = async () => {
    while (waiting.length > 0) {
      const group = waiting;
      waiting = [];
      await insert(
        client,
        group.map(({ row }) => row),
      ).then(
        () => group.forEach(({ resolve }) => resolve()),
        (error) => group.forEach(({ reject }) => reject(error)),
      );
    }
    running = undefined;
  };
  const stored = (row) =>
    new Promise((resolve, reject) => {
      waiting.push({ row, resolve, reject });
      running ??= flush();
    });
  new Worker(QUEUE, ({ data }) => stored(rowOf(data)), {
    connection: connection(),
    concurrency: CONCURRENCY,
  });
}

function insert(client, values) {
  return client.insert({
    table,
    values,
    format: 'JSONEachRow',
    clickhouse_settings: INSERT_SETTINGS,
  });
}

function response(batch) {
  return {
    res: batch.map(({ mode, req }) =>
      mode === 'start' ? { id: req.start.id, trace_id: req.start.trace_id } : {},
    ),
  };
}
