import { connect } from 'node:net';

/** Sends bytes as they are. Resolves with what was received until the connection ended or the time was over. */
export function sendRaw(
  url: string,
  pieces: readonly (string | Buffer)[],
  { pauseMs = 0, withinMs = 10_000 } = {},
): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    let response = '';
    const socket = connect(Number(port), hostname, () => void feed());
    const end = () => {
      clearTimeout(timer);
      socket.destroy();
      resolve(response);
    };
    const timer = setTimeout(end, withinMs);
    const feed = async () => {
      for (const piece of pieces) {
        if (socket.destroyed || !socket.writable) return;
        socket.write(piece);
        if (pauseMs > 0) await new Promise((go) => setTimeout(go, pauseMs));
      }
    };
    socket.on('data', (data) => (response += data.toString('latin1')));
    socket.on('error', end);
    socket.on('close', end);
  });
}

/** The head of a request with an API key. */
export const head = (line: string, key: string, headers: Record<string, string> = {}): string =>
  [
    `${line} HTTP/1.1`,
    'host: test',
    `authorization: Bearer ${key}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    '',
    '',
  ].join('\r\n');

/** The status and the parsed body of a raw response. */
export function parsed(response: string): { status: number; body: any } {
  const [headers = '', body = ''] = response.split('\r\n\r\n');
  return { status: Number(headers.slice(9, 12)), body: JSON.parse(body || 'null') };
}
