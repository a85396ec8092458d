import { createHash } from 'node:crypto';
import {
  clickHouseServerConfig,
  clickHouseUsersConfig,
  npmEngineConfig,
} from './clickhouse-server-config.js';

const settings = {
  directory: '/data/a&b',
  port: 20_002,
  username: 'heddle',
  password: 'secret',
  memoryBytes: 5000,
  keepFreeBytes: 7000,
  coldDirectory: undefined,
};
const config = clickHouseServerConfig(settings, '/data/a&b/users.xml');
const users = clickHouseUsersConfig(settings);

describe('the configuration of a ClickHouse server', () => {
  it('listens for HTTP on loopback and for nothing else', () => {
    expect(config).toContain('<listen_host>127.0.0.1</listen_host>');
    expect(config).toContain('<http_port>20002</http_port>');
    expect(config).not.toMatch(/tcp_port|interserver|mysql_port|postgresql_port/);
  });

  it('contains the hash of the password, never the password', () => {
    const hash = createHash('sha256').update('secret').digest('hex');
    expect(users).toContain(`<password_sha256_hex>${hash}</password_sha256_hex>`);
    expect(users + config).not.toContain('secret');
  });

  it('sets the data directory and the memory limit', () => {
    expect(config).toContain('<path>/data/a&amp;b/data/</path>');
    expect(config).toContain('<max_server_memory_usage>5000</max_server_memory_usage>');
  });

  it('disables the query log, which would grow', () => {
    expect(users).toContain('<log_queries>0</log_queries>');
    expect(config).not.toContain('<query_log>');
  });

  it('has one user, and for the npm engine a second one that may only open ports', () => {
    expect(users.match(/<quota>/g)).toHaveLength(1);
    const npm = clickHouseUsersConfig(settings, 2);
    expect(npm).toContain('<grants><query>GRANT SYSTEM LISTEN ON *.*</query></grants>');
    expect(npm).toContain('<queries>2</queries>');
  });

  it('has a second disk for old data when there is a directory for it', () => {
    expect(config).not.toContain('<policies>');
    const cold = { ...settings, coldDirectory: '/cold/a&b' };
    for (const text of [
      clickHouseServerConfig(cold, 'users.xml'),
      npmEngineConfig(cold, 'users.xml'),
    ]) {
      expect(text).toContain('<cold><path>/cold/a&amp;b/</path></cold>');
      expect(text).toMatch(/<default><disk>default<\/disk><\/default>\s+<cold><disk>cold<\/disk>/);
    }
  });

  it('has a bucket for old data when there is an address of one', () => {
    const cold = { ...settings, coldDirectory: 'http://s3:9000/b/p?a&b/' };
    expect(npmEngineConfig(cold, 'users.xml')).toContain(
      '<cold><type>s3</type><endpoint>http://s3:9000/b/p?a&amp;b/</endpoint>',
    );
  });

  it('gives the npm engine the same bounds', () => {
    const npm = npmEngineConfig(settings, '/data/a&b/users.xml');
    expect(npm).toContain('<users_config>/data/a&amp;b/users.xml</users_config>');
    expect(npm).toContain('<max_server_memory_usage>5000</max_server_memory_usage>');
  });
});
