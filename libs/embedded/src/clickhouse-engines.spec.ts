import { isModern, npmEnginePackage } from './clickhouse-engines.js';

describe('the choice of a ClickHouse engine', () => {
  it('accepts a server that is new enough', () => {
    expect(isModern('ClickHouse local version 26.7.2.1 (official build).')).toBe(true);
  });

  it('refuses an older server, and a program with other output', () => {
    expect(isModern('ClickHouse server version 25.8.3.66.')).toBe(false);
    expect(isModern('usage: clickhouse')).toBe(false);
  });

  it('names the package that a platform needs', () => {
    expect(npmEnginePackage('linux', 'arm64')).toBe('@chdb/lib-linux-arm64-gnu');
    expect(npmEnginePackage('darwin', 'x64')).toBe('@chdb/lib-darwin-x64');
  });
});
