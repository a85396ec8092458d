import { createHash } from 'node:crypto';
import { clickHouseServerConfig } from './clickhouse-server-config.js';

const config = clickHouseServerConfig({
  directory: '/data/a&b',
  port: 20_002,
  username: 'heddle',
  password: 'secret',
  memoryBytes: 5000,
});

describe('the configuration of a ClickHouse server', () => {
  it('listens for HTTP on loopback and for nothing else', () => {
    expect(config).toContain('<listen_host>127.0.0.1</listen_host>');
    expect(config).toContain('<http_port>20002</http_port>');
    expect(config).not.toMatch(/tcp_port|interserver|mysql_port|postgresql_port/);
  });

  it('contains the hash of the password, never the password', () => {
    const hash = createHash('sha256').update('secret').digest('hex');
    expect(config).toContain(`<password_sha256_hex>${hash}</password_sha256_hex>`);
    expect(config).not.toContain('secret');
  });

  it('sets the data directory and the memory limit', () => {
    expect(config).toContain('<path>/data/a&amp;b/data/</path>');
    expect(config).toContain('<max_server_memory_usage>5000</max_server_memory_usage>');
  });

  it('disables the query log, which would grow', () => {
    expect(config).toContain('<log_queries>0</log_queries>');
    expect(config).not.toContain('<query_log>');
  });
});
