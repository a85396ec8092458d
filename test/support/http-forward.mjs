import { Agent, request as httpRequest } from 'node:http';

const keptAlive = new Agent({ keepAlive: true, maxSockets: 256 });

/**
 * Sends a request on to another address and its response back, or breaks the connection instead of sending the response.
 * Rejects when no server listens there.
 */
export function forward(
  request,
  response,
  { port, path = request.url, beginning, body, losesResponse = false, agent = keptAlive },
) {
  return new Promise((resolve, reject) => {
    const headers = { ...request.headers, ...(body && { 'content-length': body.length }) };
    if (body) delete headers['transfer-encoding'];
    const options = { host: '127.0.0.1', port, path, method: request.method, headers, agent };
    const onward = httpRequest(options, (reply) => {
      if (losesResponse) {
        reply.resume().once('close', () => (response.destroy(), resolve()));
        return;
      }
      response.writeHead(reply.statusCode, reply.headers);
      reply.pipe(response);
      reply.once('error', () => response.destroy());
      response.once('close', () => (reply.destroy(), resolve()));
    });
    onward.once('error', (error) => (response.headersSent ? response.destroy() : reject(error)));
    response.once('close', () => onward.destroy());
    if (body) return onward.end(body);
    if (beginning) onward.write(beginning);
    request.pipe(onward);
  });
}

/** Reads a body up to this size. A longer one is returned as its beginning, and the rest stays unread. */
export function readUpTo(request, maxBytes) {
  return new Promise((resolve, reject) => {
    const chunks = [];
    let size = 0;
    const add = (chunk) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size <= maxBytes) return;
      request.pause().off('data', add);
      resolve({ beginning: Buffer.concat(chunks) });
    };
    request.on('data', add).once('error', reject);
    request.once('end', () => resolve({ body: Buffer.concat(chunks) }));
  });
}
