// Does in Node what the committed nginx configuration does, for machines without nginx.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { forward } from './http-forward.mjs';

const configuration = new URL('../../deploy/gateway/nginx.conf', import.meta.url);

/** Resolves when the gateway listens. `ports` has the ports of every ingest and every query process. */
export async function startGateway(ports) {
  const appOf = routes(readFileSync(configuration, 'utf8'));
  let turn = 0;
  const server = createServer((request, response) => {
    const targets = ports[appOf(request.url)];
    const port = targets[turn++ % targets.length];
    forward(request, response, { port }).catch(() => response.writeHead(502).end());
  });
  // Some tests send header lines that only the app itself may judge.
  server.maxHeadersCount = 0;
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function routes(text) {
  const map = /map \$unprefixed_uri \$app \{([^}]*)\}/.exec(text)[1];
  const lines = map
    .split('\n')
    .map((line) => /^\s*(\S+) (\w+);$/.exec(line))
    .filter((line) => line !== null);
  const exact = new Map(lines.map(([, path, app]) => [path, app]));
  const patterns = lines
    .filter(([, path]) => path.startsWith('~'))
    .map(([, path, app]) => [new RegExp(path.slice(1)), app]);
  return (url) => {
    const path = decoded(url.split('?', 1)[0]).replace(/^\/traces(?=\/)/, '');
    const pattern = patterns.find(([expression]) => expression.test(path));
    return exact.get(path) ?? pattern?.[1] ?? exact.get('default');
  };
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
