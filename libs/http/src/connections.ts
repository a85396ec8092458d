import { BlockList, isIPv6, type Server, type Socket } from 'node:net';
import type { ServerConfig } from '@app/config';
import { counter } from '@app/observability';

const REFUSED = counter('heddle_http_connections_refused_total', 'Connections above a limit.', [
  'limit',
]);

/** Descriptors for Redis, ClickHouse, files and log. */
const RESERVED_DESCRIPTORS = 128;
const CONNECTIONS_MAX = 10_000;
/** Where the limit of descriptors is unknown. */
const DESCRIPTORS_DEFAULT = 1024;

export interface ConnectionLimits {
  readonly total: number;
  readonly perAddress: number;
}

/** A limit of 0 is derived from the descriptors: a quarter stays free, and one address gets half of the connections. */
export function connectionLimits(
  { maxConnections, maxConnectionsPerAddress }: ServerConfig,
  descriptors = openFilesLimit(),
): ConnectionLimits {
  const derived = Math.min(CONNECTIONS_MAX, Math.floor(descriptors * 0.75) - RESERVED_DESCRIPTORS);
  const total = maxConnections || Math.max(1, derived);
  return { total, perAddress: maxConnectionsPerAddress || Math.ceil(total / 2) };
}

/** The soft limit of open files. */
function openFilesLimit(): number {
  const { userLimits } = process.report.getReport() as unknown as {
    userLimits?: { open_files?: { soft?: number | string } };
  };
  const soft = userLimits?.open_files?.soft;
  return typeof soft === 'number' ? soft : DESCRIPTORS_DEFAULT;
}

/**
 * Bounds the connections of a server and of each address. Without it, clients that send nothing use up all descriptors. A trusted
 * proxy has the connections of all its clients, so only the total applies to it.
 */
export function limitConnections(server: Server, config: ServerConfig): void {
  const { total, perAddress } = connectionLimits(config);
  const trusted = addressList(config.trustedProxies);
  const open = new Map<string, number>();
  server.maxConnections = total;
  server.on('drop', () => REFUSED.inc({ limit: 'total' }));
  // A connection that is refused never reaches the HTTP server, which prepares much for each one. Those of others wait meanwhile.
  const serve = server.listeners('connection') as ((socket: Socket) => void)[];
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    const address = plainAddress(socket.remoteAddress ?? '');
    if (!isIn(trusted, address)) {
      const count = open.get(address) ?? 0;
      if (count >= perAddress) {
        REFUSED.inc({ limit: 'address' });
        socket.destroy();
        return;
      }
      open.set(address, count + 1);
      socket.once('close', () => {
        const left = (open.get(address) ?? 1) - 1;
        if (left > 0) open.set(address, left);
        else open.delete(address);
      });
    }
    for (const listener of serve) listener.call(server, socket);
  });
}

/** The names that TRUSTED_PROXIES accepts for networks. */
const NETWORKS: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

export function addressList(names: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of names.flatMap((name) => NETWORKS[name] ?? [name])) {
    const [address = '', bits] = network.split('/');
    if (bits === undefined) list.addAddress(address, familyOf(address));
    else list.addSubnet(address, Number(bits), familyOf(address));
  }
  return list;
}

export const isIn = (list: BlockList, address: string): boolean =>
  address !== '' && list.check(address, familyOf(address));

const familyOf = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4');

/** A socket for both families shows addresses of IPv4 as `::ffff:1.2.3.4`. */
const plainAddress = (address: string) => address.replace(/^::ffff:(?=[\d.]+$)/, '');
