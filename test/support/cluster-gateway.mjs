// Does in Node what the committed nginx configuration does, for machines without nginx.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { forward } from './http-forward.mjs';

const configuration = new URL('../../deploy/gateway/nginx.conf', import.meta.url);

/** Resolves when the gateway listens. `ports` has the ports of every ingest and every query process. */
export async function startGateway(ports) {
  const appOf = routesOf(readFileSync(configuration, 'utf8'));
  let turn = 0;
  const server = createServer((request, response) => {
    const targets = ports[appOf(request.method, request.url)];
    const port = targets[turn++ % targets.length];
    forward(request, response, { port }).catch(() => response.writeHead(502).end());
  });
  // Some tests send header lines that only the app itself may judge.
  server.maxHeadersCount = 0;
  // Clients use a connection for as long as the app's own header says: `keep-alive: timeout=75`.
  server.keepAliveTimeout = 80_000;
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** The app that serves a request, by the maps of an nginx configuration: by path, and by method where both apps serve it. */
export function routesOf(text) {
  const paths = entriesOf(text, /map \$unprefixed_uri \$app \{([^}]*)\}/);
  const exact = new Map(paths);
  const patterns = paths
    .filter(([path]) => path.startsWith('~'))
    .map(([path, target]) => [new RegExp(path.slice(1)), target]);
  const targetOf = (path) =>
    exact.get(path) ??
    patterns.find(([expression]) => expression.test(path))?.[1] ??
    exact.get('default');
  return (method, url) => {
    const target = targetOf(decoded(url.split('?', 1)[0]).replace(/^\/traces(?=\/)/, ''));
    if (!target.startsWith('$')) return target;
    const methods = new Map(
      entriesOf(text, new RegExp(`map \\$request_method \\${target} \\{([^}]*)\\}`)),
    );
    return methods.get(method) ?? methods.get('default');
  };
}

/** The lines `key value;` of one map. A line that is neither that nor a comment is an error: it would be a route less. */
function entriesOf(text, map) {
  const lines = map
    .exec(text)[1]
    .split('\n')
    .map((line) => line.trim());
  return lines
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const entry = /^(\S+) (\S+);$/.exec(line);
      if (entry === null) throw new Error(`The gateway cannot read this line: ${line}`);
      return [entry[1], entry[2]];
    });
}

/** A path that cannot be decoded goes to the default app, which refuses it. */
function decoded(path) {
  try {
    return decodeURI(path);
  } catch (error) {
    if (error instanceof URIError) return path;
    throw error;
  }
}
