import { connectionOptions } from './connection.js';

const at = { url: '', user: 'default', password: '', database: 'default' };
const settingsWith = (cluster: string) =>
  connectionOptions({ ...at, cluster }, 'worker').clickhouse_settings;

describe('a connection to ClickHouse', () => {
  it('waits on a cluster until the shards have stored the rows', () => {
    expect(settingsWith('main')).toEqual({ distributed_foreground_insert: 1 });
  });

  it('does not change the settings of a single server', () => {
    expect(settingsWith('')).toEqual({});
  });
});
