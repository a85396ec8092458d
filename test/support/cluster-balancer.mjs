// One address in front of several ClickHouse nodes.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { forward, readUpTo } from './http-forward.mjs';

/** Longer bodies are rows. */
const STATEMENT_MAX_BYTES = 64 * 1024;
const ON_CLUSTER = / ON CLUSTER '\w+'/;
const TIMEOUT_EXCEEDED = 159;

/**
 * Sends each request to the next node that responds. This engine cannot execute ON CLUSTER, so the balancer sends such a
 * statement to every node. Unlike ClickHouse's own queue, which lets an unavailable node execute it later, the balancer
 * refuses the statement while a node is unavailable.
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
  const missing = nodes.filter(({ member }) => !member.isRunning);
  if (missing.length > 0) {
    response.setHeader('X-ClickHouse-Exception-Code', TIMEOUT_EXCEEDED);
    const names = missing.map(({ member }) => member.name).join(', ');
    const text = `Code: ${TIMEOUT_EXCEEDED}. DB::Exception: There are ${missing.length} unfinished hosts: ${names}. (TIMEOUT_EXCEEDED)`;
    return refuse(response, 500, text);
  }
  const headers = Object.fromEntries(
    Object.entries(request.headers).filter(([name]) => /^(authorization|x-clickhouse)/.test(name)),
  );
  for (const { url } of nodes) {
    const reply = await fetch(url + request.url, {
      method: 'POST',
      headers,
      body: statement.replace(ON_CLUSTER, ''),
    });
    const text = await reply.text();
    if (!reply.ok) {
      response.setHeader(
        'X-ClickHouse-Exception-Code',
        reply.headers.get('x-clickhouse-exception-code') ?? '0',
      );
      return refuse(response, reply.status, text);
    }
  }
  response.end();
}

function refuse(response, status, text) {
  if (response.headersSent) return response.destroy();
  response.writeHead(status).end(text);
}

const portOf = ({ url }) => Number(new URL(url).port);
