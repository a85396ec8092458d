import { expectGolden } from '../../../test/support/golden.js';
import { readMigrations } from './migrations.js';
import { renderMigration } from './render-migration.js';
import { topologyOf, type Topology } from './topology.js';

const single = topologyOf({ cluster: '', replicated: false });
const cluster = topologyOf({ cluster: 'main', replicated: true });

const file = `
-- Why; and for what;
CREATE TABLE IF NOT EXISTS feedback
(
    -- not a column;
    id   String,
    kind Enum8('a;b' = 1)
)
ENGINE = ReplacingMergeTree(version, is_deleted)
ORDER BY id;

-- A closing remark.
`;

describe('a migration', () => {
  it('is its own SQL without the comments on a single server', () => {
    expect(renderMigration(file, single)).toEqual([
      `CREATE TABLE IF NOT EXISTS feedback
(
    id   String,
    kind Enum8('a;b' = 1)
)
ENGINE = ReplacingMergeTree(version, is_deleted)
ORDER BY id`,
    ]);
  });

  it('is a replicated and a distributed table on a cluster', () => {
    expect(renderMigration(file, cluster)).toEqual([
      `CREATE TABLE IF NOT EXISTS feedback_local ON CLUSTER 'main'
(
    id   String,
    kind Enum8('a;b' = 1)
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}', version, is_deleted)
ORDER BY id`,
      `CREATE TABLE IF NOT EXISTS feedback ON CLUSTER 'main' AS feedback_local
ENGINE = Distributed('main', currentDatabase(), feedback_local, cityHash64(project_id, id))`,
    ]);
  });

  it('changes the columns of both tables on a cluster, and the indexes of the local one', () => {
    const altered = `ALTER TABLE feedback ADD COLUMN IF NOT EXISTS n UInt8 CODEC(ZSTD(1)) AFTER id;

ALTER TABLE feedback ADD INDEX IF NOT EXISTS by_n n TYPE minmax;
`;
    expect(renderMigration(altered, cluster)).toEqual([
      "ALTER TABLE feedback_local ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS n UInt8 CODEC(ZSTD(1)) AFTER id",
      "ALTER TABLE feedback ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS n UInt8 AFTER id",
      "ALTER TABLE feedback_local ON CLUSTER 'main' ADD INDEX IF NOT EXISTS by_n n TYPE minmax",
    ]);
  });

  it('drops both tables of a cluster, and moves rows through the distributed ones', () => {
    const moved = 'INSERT INTO t (a) SELECT a FROM s;\n\nDROP TABLE IF EXISTS s;';

    expect(renderMigration(moved, single)).toEqual([
      'INSERT INTO t (a) SELECT a FROM s',
      'DROP TABLE IF EXISTS s',
    ]);
    expect(renderMigration(moved, cluster)).toEqual([
      'INSERT INTO t (a) SELECT a FROM s',
      "DROP TABLE IF EXISTS s ON CLUSTER 'main' SYNC",
      "DROP TABLE IF EXISTS s_local ON CLUSTER 'main' SYNC",
    ]);
  });

  it('accepts an engine without arguments', () => {
    const [local] = renderMigration(
      'CREATE TABLE IF NOT EXISTS audit (a UInt8)\nENGINE = MergeTree\nORDER BY a;',
      cluster,
    );

    expect(local).toContain(
      "ENGINE = ReplicatedMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}')\n",
    );
  });

  it('changes both tables of a cluster', () => {
    const alter = 'ALTER TABLE t ADD COLUMN IF NOT EXISTS b UInt8;';

    expect(renderMigration(alter, single)).toEqual([alter.slice(0, -1)]);
    expect(renderMigration(alter, cluster).map((one) => one.split(' ADD')[0])).toEqual([
      "ALTER TABLE t_local ON CLUSTER 'main'",
      "ALTER TABLE t ON CLUSTER 'main'",
    ]);
  });

  it('is a plain and a distributed table on a cluster without replication', () => {
    const [local, distributed] = renderMigration(file, {
      ...cluster,
      replicated: false,
    } as Topology);

    expect(local).toContain('ENGINE = ReplacingMergeTree(version, is_deleted)\n');
    expect(distributed).toContain(
      "ENGINE = Distributed('main', currentDatabase(), feedback_local, ",
    );
  });

  it('creates a table that every node has whole, when it must be readable without a shard', () => {
    const prices = 'CREATE TABLE IF NOT EXISTS prices (a UInt8)\nENGINE = MergeTree\nORDER BY a;';

    expect(renderMigration(prices, cluster)).toEqual([
      expect.stringContaining(
        "ReplicatedMergeTree('/clickhouse/tables/{uuid}/everywhere', '{shard}-{replica}')",
      ),
      expect.stringContaining("Distributed('main_everywhere', currentDatabase(), prices_local)"),
    ]);
  });

  it('needs a sharding key for its table', () => {
    const unsharded = 'CREATE TABLE IF NOT EXISTS t (a UInt8) ENGINE = MergeTree ORDER BY a;';

    expect(renderMigration(unsharded, single)).toHaveLength(1);
    expect(() => renderMigration(unsharded, cluster)).toThrow('sharding key');
    expect(() => renderMigration('DROP TABLE t;', cluster)).toThrow('CREATE TABLE');
  });
});

describe('the migrations', () => {
  const migrations = readMigrations();

  it('are numbered from one without a gap', () => {
    expect(migrations.map(({ number }) => number)).toEqual(migrations.map((_, i) => i + 1));
  });

  it('can be interrupted and repeated', () => {
    for (const { text } of migrations) {
      for (const statement of renderMigration(text, single)) {
        expect(statement).toMatch(
          // All of these are idempotent: root_usage is a ReplacingMergeTree, so rows inserted twice become one.
          /^((CREATE TABLE|ALTER TABLE \w+ ADD (COLUMN|INDEX)) IF NOT|DROP TABLE IF) EXISTS |^INSERT INTO root_usage |^ALTER TABLE (calls|call_events)\s+(MODIFY COLUMN|CLEAR INDEX|MATERIALIZE INDEX) |^ALTER TABLE \w+ MODIFY SETTING /,
        );
      }
    }
  });

  it('create these tables on a cluster', () => {
    const statements = migrations.flatMap(({ text }) => renderMigration(text, cluster));

    expectGolden(
      'libs/clickhouse/migrations/cluster.golden.sql',
      statements.map((statement) => `${statement};\n`).join('\n'),
    );
  });
});
