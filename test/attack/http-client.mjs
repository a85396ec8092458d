import { Agent, request } from 'node:http';

const TIMEOUT_MS = 60_000;
/** More of a response is not kept. */
const TEXT_MAX_BYTES = 4096;

/**
 * A function that sends a POST and resolves with `{ status, text }`. Bodies that are no Buffer are sent as JSON. It rejects when
 * the connection breaks or `signal` aborts.
 */
export function clientOf(url, key, signal) {
  const agent = new Agent({ keepAlive: true });
  const authorization = key === undefined ? {} : { authorization: `Bearer ${key}` };
  return (path, body = {}, headers = {}, method = 'POST') => {
    const bytes = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
    const hasBody = method !== 'GET';
    return new Promise((resolve, reject) => {
      const sent = request(url + path, {
        method,
        agent,
        timeout: TIMEOUT_MS,
        ...(signal && { signal }),
        headers: {
          ...authorization,
          ...(hasBody && { 'content-type': 'application/json', 'content-length': bytes.length }),
          ...headers,
        },
      });
      sent.once('timeout', () => sent.destroy(new Error('no response in time')));
      sent.once('error', reject);
      sent.once('response', (response) => {
        const pieces = [];
        let kept = 0;
        response.on('data', (piece) => {
          if (kept < TEXT_MAX_BYTES) pieces.push(piece);
          kept += piece.length;
        });
        response.once('error', reject);
        response.once('end', () =>
          resolve({
            status: response.statusCode,
            text: Buffer.concat(pieces).toString('utf8', 0, TEXT_MAX_BYTES),
          }),
        );
      });
      sent.end(hasBody ? bytes : undefined);
    });
  };
}
