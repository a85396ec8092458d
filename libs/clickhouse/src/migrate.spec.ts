import type { ClickHouseClient } from '@clickhouse/client';
import { migrate } from './migrate.js';
import { readMigrations } from './migrations.js';
import { renderMigration } from './render-migration.js';

/** The last migration of version 0.1.0. */
const FIRST_RELEASE = 9;

const aServer = (version: string) =>
  ({
    query: async ({ query }: { readonly query: string }) => ({
      json: async () => (query.includes('system.disks') ? [] : [{ version }]),
    }),
    command: async () => Promise.reject(new Error('unexpected command')),
  }) as unknown as ClickHouseClient;

describe('a migration since version 0.1.0', () => {
  const later = readMigrations().filter(({ number }) => number > FIRST_RELEASE);

  it.each(later.map(({ name, text }) => [name, text] as const))(
    'only adds, so that apps of the release before run with its tables: %s',
    (_, text) => {
      for (const statement of renderMigration(text, { kind: 'single' }))
        // Readers and writers do not see the codec of a column.
        expect(statement.replaceAll(/MODIFY COLUMN \w+ CODEC\(.+\)/g, '')).not.toMatch(
          /\b(DROP|RENAME|EXCHANGE|TRUNCATE|DELETE|MODIFY COLUMN|CLEAR COLUMN)\b/,
        );
    },
  );
});

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
