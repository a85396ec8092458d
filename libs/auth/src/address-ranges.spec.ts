import { isAddressRange } from '@app/contracts';
import { isInRanges } from './address-ranges.js';

const RANGES = ['10.1.0.0/16', '192.0.2.7', '2001:db8::/32', '::1'];

describe('the addresses of a key', () => {
  it.each([
    '10.1.2.3',
    '::ffff:10.1.2.3',
    '192.0.2.7',
    '2001:db8:1::9',
    '2001:DB8::1',
    '::1',
    '0:0:0:0:0:0:0:1',
  ])('include %s', (address) => {
    expect(isInRanges(address, RANGES)).toBe(true);
  });

  it.each([
    '10.2.0.1',
    '::ffff:10.2.0.1',
    '192.0.2.8',
    '2001:db9::1',
    '127.0.0.1',
    '',
    'unknown',
    '10.1.2.3.4',
  ])('do not include %j', (address) => {
    expect(isInRanges(address, RANGES)).toBe(false);
  });

  it.each([...RANGES, '0.0.0.0/0', '::/0', '10.0.0.1/32', '2001:db8::1/128'])(
    'may be %s',
    (range) => {
      expect(isAddressRange(range)).toBe(true);
      expect(() => isInRanges('192.0.2.1', [range])).not.toThrow();
    },
  );

  it.each([
    '10.0.0.0/33',
    '10.0.0/8',
    '::/129',
    '10.0.0.0/-1',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '10.0.0.0/1e1',
    'localhost',
    '',
    '::1%lo',
    7,
    null,
  ])('cannot be %j', (range) => {
    expect(isAddressRange(range)).toBe(false);
  });
});
