import { connectionOptions } from './connection.js';

const noTls = { caFile: '', certFile: '', keyFile: '' };
const at = { url: '', user: 'default', password: '', database: 'default', ...noTls };
const settingsWith = (cluster: string, replicated = false) =>
  connectionOptions({ ...at, cluster, replicated }, 'worker').clickhouse_settings;

describe('a connection to ClickHouse', () => {
  it('waits on a cluster until the shards have stored the rows', () => {
    expect(settingsWith('main')).toMatchObject({ distributed_foreground_insert: 1 });
  });

  it('reads all shards or none, and subqueries over all of them', () => {
    expect(settingsWith('main')).toMatchObject({
      skip_unavailable_shards: 0,
      distributed_product_mode: 'global',
    });
  });

  it('waits on a replicated cluster for a majority of replicas, also for rows that were inserted before', () => {
    expect(settingsWith('main', true)).toMatchObject({
      insert_quorum: 'auto',
      insert_deduplicate: 0,
      load_balancing: 'in_order',
    });
  });

  it('does not change the settings of a single server', () => {
    expect(settingsWith('')).toEqual({});
  });
});
