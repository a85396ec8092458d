// One address in front of several ClickHouse nodes.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { forward, readUpTo } from './http-forward.mjs';

/** Longer bodies are rows. */
const STATEMENT_MAX_BYTES = 64 * 1024;
const ON_CLUSTER = / ON CLUSTER '\w+'/;

/**
 * Sends each request to the next node that responds. This engine cannot execute ON CLUSTER, so the balancer sends such a
 * statement to every node and responds with the result of each, in the columns that ClickHouse documents for
 * `distributed_ddl_output_mode = 'never_throw'`; in other modes, with the first error. Unlike ClickHouse's own queue, which
 * lets an unavailable node execute the statement later, the balancer executes it nowhere while a node is unavailable.
 */
export async function startBalancer(nodes) {
  let turn = 0;
  const server = createServer((request, response) => {
    void balance(request, response).catch((error) => refuse(response, 503, String(error)));
  });
  const balance = async (request, response) => {
    const read = await readUpTo(request, STATEMENT_MAX_BYTES);
    const statement = read.body?.toString('utf8') ?? '';
    if (ON_CLUSTER.test(statement)) return onEveryNode(nodes, request, response, statement);
    const running = nodes.filter(({ member }) => member.isRunning);
    const node = running[turn++ % running.length];
    if (node === undefined) return refuse(response, 503, 'no node is available');
    return forward(request, response, { port: portOf(node), ...read });
  };
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function onEveryNode(nodes, request, response, statement) {
  const isMissing = nodes.some(({ member }) => !member.isRunning);
  const headers = Object.fromEntries(
    Object.entries(request.headers).filter(([name]) => /^(authorization|x-clickhouse)/.test(name)),
  );
  const results = [];
  for (const { url, member } of nodes) {
    const result = { host: member.name, port: Number(new URL(url).port), status: null, error: '' };
    results.push(result);
    // Like ClickHouse's queue, the balancer stops at a node that fails: nodes after it have not finished.
    if (isMissing || results.some(({ status }) => Number(status) > 0)) continue;
    const reply = await fetch(url + request.url, {
      method: 'POST',
      headers,
      body: statement.replace(ON_CLUSTER, ''),
    });
    const text = await reply.text();
    result.status = reply.ok ? 0 : Number(reply.headers.get('x-clickhouse-exception-code'));
    if (!reply.ok) result.error = text.trim();
  }
  const failed = results.find(({ status }) => status !== 0);
  if (failed && !request.url.includes('distributed_ddl_output_mode=never_throw'))
    return refuse(response, 500, failed.error || `${failed.host} has not finished`);
  response.end(results.map((result) => `${JSON.stringify(result)}\n`).join(''));
}

function refuse(response, status, text) {
  if (response.headersSent) return response.destroy();
  response.writeHead(status).end(text);
}

const portOf = ({ url }) => Number(new URL(url).port);
