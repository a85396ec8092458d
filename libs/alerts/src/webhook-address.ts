import { lookup } from 'node:dns/promises';
import { BlockList, isIP, isIPv4 } from 'node:net';
import { HeddleError } from '@app/errors';

/** A webhook whose URL or address is not allowed. Nothing was sent. */
export class WebhookRefusedError extends HeddleError {
  readonly code = 'webhook_refused';
}

/** Addresses that are not of the public internet (RFC 6890 and its successors). */
const NOT_PUBLIC_IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];
/** Of IPv6 only this network is public, which excludes mapped and translated IPv4, loopback, link-local and private addresses. */
const PUBLIC_IPV6 = ['2000::/3'];
/** Parts of it that are not, or that contain an IPv4 address (Teredo and 6to4). */
const NOT_PUBLIC_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

const familyOf = (address: string) => (isIPv4(address) ? 'ipv4' : 'ipv6');

function listOf(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = '', prefix] = range.split('/');
    const bits = prefix === undefined ? (isIPv4(network) ? 32 : 128) : Number(prefix);
    list.addSubnet(network, bits, familyOf(network));
  }
  return list;
}

const notPublicIpv4 = listOf(NOT_PUBLIC_IPV4);
const publicIpv6 = listOf(PUBLIC_IPV6);
const notPublicIpv6 = listOf(NOT_PUBLIC_IPV6);

export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !notPublicIpv4.check(address, 'ipv4');
  return publicIpv6.check(address, 'ipv6') && !notPublicIpv6.check(address, 'ipv6');
}

export interface WebhookTarget {
  readonly url: URL;
  /** The connection is made to this address, so that a second resolution cannot change it. */
  readonly address: string;
}

/** Decides which URLs and addresses a webhook may have. */
export class WebhookAddresses {
  private readonly allowed: BlockList;

  /** `networks` are accepted although they are not public. */
  constructor(networks: readonly string[]) {
    this.allowed = listOf(networks);
  }

  /** Throws WebhookRefusedError for a URL that no delivery would accept. A host name is not resolved. */
  checkUrl(text: string): URL {
    if (!URL.canParse(text)) throw new WebhookRefusedError('The webhook is not a URL.');
    const url = new URL(text);
    if (url.protocol !== 'https:' && url.protocol !== 'http:')
      throw new WebhookRefusedError('A webhook must start with https://.');
    if (url.username !== '' || url.password !== '')
      throw new WebhookRefusedError('The URL of a webhook must have no user and password.');
    const host = hostOf(url);
    if (isIP(host) !== 0) this.requireAllowed(url, [host]);
    return url;
  }

  /** Resolves the host once. Every one of its addresses must be allowed. */
  async resolve(text: string): Promise<WebhookTarget> {
    const url = this.checkUrl(text);
    const host = hostOf(url);
    const addresses = isIP(host) === 0 ? await resolved(host) : [host];
    this.requireAllowed(url, addresses);
    return { url, address: addresses[0]! };
  }

  private requireAllowed(url: URL, addresses: readonly string[]): void {
    const isAllowed = (address: string) => this.allowed.check(address, familyOf(address));
    if (!addresses.every((address) => isAllowed(address) || isPublicAddress(address)))
      throw new WebhookRefusedError(
        'The webhook has a private or reserved address; an operator can allow it with WEBHOOK_ALLOWED_NETWORKS.',
      );
    if (url.protocol === 'http:' && !addresses.every(isAllowed))
      throw new WebhookRefusedError(
        'A webhook at a public address must start with https://, so that no network in between can read it.',
      );
  }
}

/** The brackets of an IPv6 address belong to the URL. */
const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '');

async function resolved(host: string): Promise<string[]> {
  const found = await lookup(host, { all: true }).catch(() => []);
  if (found.length === 0) throw new HostNotFoundError('The host of the webhook was not found.');
  return found.map(({ address }) => address);
}

/** A host name without an address, which may have one later. */
class HostNotFoundError extends HeddleError {
  readonly code = 'webhook_failed';
}
