import { readConfig } from '@app/config';
import { addressList, connectionLimits, isIn } from './connections.js';

const limits = (env: Record<string, string>, descriptors: number) =>
  connectionLimits(readConfig(env).server, descriptors);

describe('the limits of connections', () => {
  it('leave descriptors free, and half of the connections to other addresses', () => {
    expect(limits({}, 1024)).toEqual({ total: 640, perAddress: 320 });
    expect(limits({}, 1_048_576)).toEqual({ total: 10_000, perAddress: 5000 });
    expect(limits({}, 100)).toEqual({ total: 1, perAddress: 1 });
  });

  it('are those of the settings where they are set', () => {
    const env = { MAX_CONNECTIONS: '50', MAX_CONNECTIONS_PER_ADDRESS: '7' };

    expect(limits(env, 1024)).toEqual({ total: 50, perAddress: 7 });
    expect(limits({ MAX_CONNECTIONS: '50' }, 1024)).toEqual({ total: 50, perAddress: 25 });
  });
});

describe('a trusted proxy', () => {
  it.each([
    ['127.0.0.1', ['loopback'], true],
    ['::1', ['loopback'], true],
    ['10.1.2.3', ['loopback', 'uniquelocal'], true],
    ['192.0.2.7', ['192.0.2.0/24'], true],
    ['192.0.2.7', ['192.0.2.8'], false],
    ['2001:db8::1', ['2001:db8::1'], true],
    ['8.8.8.8', ['loopback', 'linklocal', 'uniquelocal'], false],
    ['', ['loopback'], false],
  ])('%s is in %j: %s', (address, names, isTrusted) => {
    expect(isIn(addressList(names), address)).toBe(isTrusted);
  });
});
