import { BlockList, isIP, isIPv4 } from 'node:net';

/** Whether an address is in one of the ranges: addresses, or networks such as 10.0.0.0/8 and 2001:db8::/32. */
export function isInRanges(address: string, ranges: readonly string[]): boolean {
  const plain = plainAddress(address);
  return isIP(plain) !== 0 && listOf(ranges).check(plain, familyOf(plain));
}

/** A socket of both families shows an IPv4 client as ::ffff:192.0.2.1, and a link-local one with its interface. */
function plainAddress(address: string): string {
  const [withoutZone = ''] = address.split('%');
  const mapped = /^::ffff:([\d.]+)$/i.exec(withoutZone)?.[1];
  return mapped !== undefined && isIPv4(mapped) ? mapped : withoutZone;
}

const familyOf = (address: string) => (isIPv4(address) ? 'ipv4' : 'ipv6');

/** The ranges of a cached key are the same array in every request. */
const lists = new WeakMap<readonly string[], BlockList>();

function listOf(ranges: readonly string[]): BlockList {
  const known = lists.get(ranges);
  if (known !== undefined) return known;
  const list = new BlockList();
  for (const range of ranges) {
    const [network = '', prefix] = range.split('/');
    if (prefix === undefined) list.addAddress(network, familyOf(network));
    else list.addSubnet(network, Number(prefix), familyOf(network));
  }
  lists.set(ranges, list);
  return list;
}
