import { defaultMaxMemoryBytes } from './embedded-redis.js';
import { redisConfig } from './redis-config.js';

const config = redisConfig({
  directory: '/data dir/a"b\\c',
  port: 20_001,
  password: 'secret',
  maxMemoryBytes: 1000,
});

describe('the configuration of Redis', () => {
  it('acknowledges writes after they are on disk, and never evicts keys', () => {
    expect(config).toContain('appendonly "yes"\nappendfsync "always"\n');
    expect(config).toContain('save ""\n');
    expect(config).toContain('maxmemory "1000"\nmaxmemory-policy "noeviction"\n');
  });

  it('listens on loopback only and requires a password', () => {
    expect(config).toContain('bind "127.0.0.1"\nport "20001"\n');
    expect(config).toContain('requirepass "secret"\n');
  });

  it('quotes a directory with spaces, quotes and backslashes', () => {
    expect(config).toContain('dir "/data dir/a\\"b\\\\c"\n');
  });

  it('limits Redis to 45 % of the memory and to 8 GiB', () => {
    const GIB = 1024 ** 3;
    expect(defaultMaxMemoryBytes(4 * GIB)).toBe(Math.floor(1.8 * GIB));
    expect(defaultMaxMemoryBytes(256 * GIB)).toBe(8 * GIB);
  });
});
