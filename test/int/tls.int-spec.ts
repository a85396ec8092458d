import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:tls';
import { connectClickHouse } from '@app/clickhouse';
import { StartupError, type TlsConfig } from '@app/config';
import { freePort } from '@app/embedded';
import { connectRedis } from '@app/redis';
import { TestAuthority } from '../support/certificates.js';
import { RedisServer } from '../support/redis-server.js';
import { theClickHouse } from '../support/store.js';
import { listeningLogger } from './embedded/engine.js';

const authority = new TestAuthority();
const stranger = new TestAuthority();
const ours = authority.issue('server');
const client = authority.issue('client');
const { caFile } = authority;
const NONE = { caFile: '', certFile: '', keyFile: '' };
/** What a client may have, and whether a server that requires a certificate of its clients accepts it. */
const CLIENTS: [what: string, files: TlsConfig, refusal: RegExp | undefined][] = [
  ['the authority and a client certificate', { caFile, ...client }, undefined],
  ['no client certificate', { ...NONE, caFile }, /certificate|closed|socket|EPIPE|ECONNRESET/i],
  [
    'a client certificate of a stranger',
    { caFile, ...stranger.issue('client') },
    /unknown ca|closed|socket|EPIPE|ECONNRESET/i,
  ],
  [
    'another authority',
    { ...client, caFile: stranger.caFile },
    /unable to verify|self-signed certificate/,
  ],
  ['no authority', { ...client, caFile: '' }, /unable to verify|self-signed certificate/],
];

let redis: RedisServer;
let redisUrl: string;
let proxy: Server;
let clickHouseUrl: string;

beforeAll(async () => {
  const tlsPort = await freePort();
  redis = await RedisServer.start({
    'tls-port': String(tlsPort),
    'tls-cert-file': ours.certFile,
    'tls-key-file': ours.keyFile,
    'tls-ca-cert-file': caFile,
    'tls-auth-clients': 'yes',
  });
  redisUrl = `rediss://127.0.0.1:${tlsPort}`;
  proxy = await tlsInFrontOf(new URL(theClickHouse().url));
  clickHouseUrl = `https://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await redis.stop();
  proxy.close();
  authority.remove();
  stranger.remove();
});

/** Ends TLS, and requires a certificate of every client. */
async function tlsInFrontOf({ hostname, port }: URL): Promise<Server> {
  const [key, cert, ca] = [ours.keyFile, ours.certFile, caFile].map((file) => readFileSync(file));
  const options = { key: key!, cert: cert!, ca: ca!, requestCert: true };
  const server = createServer(options, (socket) => {
    const inner = connect(Number(port), hostname);
    const end = () => [socket, inner].forEach((one) => one.destroy());
    for (const one of [socket, inner]) one.on('error', end).on('close', end);
    socket.pipe(inner).pipe(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

/** The reply to a ping, or why there is none. */
async function pingRedis(files: TlsConfig): Promise<string> {
  const connection = connectRedis({ url: redisUrl, ...files }, 'consumer', listeningLogger());
  const failure = once(connection, 'error').then(([error]) => (error as Error).message);
  try {
    return await Promise.race([connection.ping(), failure]);
  } finally {
    failure.catch(() => undefined);
    connection.disconnect();
  }
}

async function pingClickHouse(files: TlsConfig): Promise<string> {
  const connection = connectClickHouse(theClickHouse({ url: clickHouseUrl, ...files }), 'test');
  try {
    const result = await connection.ping({ select: true });
    return result.success ? 'PONG' : result.error.message;
  } finally {
    await connection.close();
  }
}

describe.each([
  ['Redis', pingRedis],
  ['ClickHouse', pingClickHouse],
])('%s over TLS that requires a certificate of its clients', (_name, ping) => {
  it.each(CLIENTS)(
    'is reached with %s only when both trust each other',
    async (_, files, refusal) => {
      const reply = await ping(files);

      if (refusal === undefined) expect(reply).toBe('PONG');
      else expect(reply).toMatch(refusal);
    },
  );

  it('is not tried when a file cannot be read', async () => {
    await expect(ping({ ...client, caFile: '/nowhere.pem' })).rejects.toThrow(StartupError);
    await expect(ping({ ...client, caFile: '/nowhere.pem' })).rejects.toThrow(
      /(REDIS|CLICKHOUSE)_CA_FILE cannot be read/,
    );
  });
});
