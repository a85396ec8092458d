import { readMigrations, readOptionalMigration } from './migrations.js';
import { forPartition, tableOfPartitions } from './partition-steps.js';
import { renderMigration } from './render-migration.js';

const statements = [
  ...readMigrations().map(({ text }) => text),
  readOptionalMigration('text_index'),
]
  .map((text) => renderMigration(text, { kind: 'single' }))
  .flat();

describe('a statement of a migration', () => {
  it('copies the rows of one partition after the other', () => {
    const copy = 'INSERT INTO u (id)\nSELECT id FROM (SELECT * FROM calls FINAL WHERE a = 1)';

    expect(tableOfPartitions(copy)).toBe('calls');
    expect(forPartition(copy, '202611')).toBe(
      "INSERT INTO u (id)\nSELECT id FROM (SELECT * FROM calls FINAL WHERE _partition_id = '202611' AND a = 1)",
    );
  });

  it('rewrites the indexes of one partition after the other', () => {
    const rewrite =
      "ALTER TABLE calls_local ON CLUSTER 'c'\n    MATERIALIZE INDEX a,\n    CLEAR INDEX b";

    expect(tableOfPartitions(rewrite)).toBe('calls_local');
    expect(forPartition(rewrite, '202611')).toBe(
      "ALTER TABLE calls_local ON CLUSTER 'c'\n    MATERIALIZE INDEX a IN PARTITION ID '202611',\n    CLEAR INDEX b IN PARTITION ID '202611'",
    );
  });

  it('runs once when it changes no row', () => {
    expect(tableOfPartitions('ALTER TABLE calls ADD INDEX IF NOT EXISTS a b TYPE minmax')).toBe(
      undefined,
    );
    expect(tableOfPartitions('CREATE TABLE IF NOT EXISTS calls (a UInt8)')).toBeUndefined();
  });

  it('never copies or rewrites a whole table at once, in any migration', () => {
    const long = statements.filter((text) => /^INSERT|MATERIALIZE|CLEAR INDEX|UPDATE/.test(text));

    expect(long.length).toBeGreaterThan(3);
    for (const text of long) expect([text, tableOfPartitions(text)]).toEqual([text, 'calls']);
  });
});
