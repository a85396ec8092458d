import type { ClickHouseClient } from '@clickhouse/client';
import { migrate } from './migrate.js';

const aServer = (version: string) =>
  ({
    query: async () => ({ json: async () => [{ version }] }),
    command: async () => Promise.reject(new Error('unexpected command')),
  }) as unknown as ClickHouseClient;

describe('migrating', () => {
  it('refuses a server that is too old for our queries, before it changes anything', async () => {
    await expect(migrate(aServer('25.8.3.66'), { kind: 'single' })).rejects.toThrow(
      'This ClickHouse is 25.8.3.66; Heddle needs 26.1 or newer.',
    );
    await expect(migrate(aServer('26.7.2.1'), { kind: 'single' })).rejects.toThrow(
      'unexpected command',
    );
  });
});
