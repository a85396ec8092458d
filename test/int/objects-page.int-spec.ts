import {
  OBJECTS,
  withLatest,
  type ObjectRow as StoredFact,
  type Sql,
  type VersionRow,
  type VersionWithoutLatestRow,
} from '@app/clickhouse';
import { micros } from '@app/wire';
import fc from 'fast-check';
import { ObjectsReader } from '../../apps/query/src/objects/objects.reader.js';
import {
  queryObjects,
  versionsUpTo,
  type ObjectsQuery,
} from '../../apps/query/src/objects/objects.sql.js';
import { pageOfVersions } from '../../apps/query/src/objects/page-of-versions.js';
import type { QueryExecutor } from '../../apps/query/src/query-executor.js';
import type { ReadContext } from '../../apps/query/src/read-context.js';
import { READ_SETTINGS } from '../../apps/query/src/read-settings.js';
import { openStore } from '../support/store.js';
import { aProject } from '../support/test-server.js';

const store = openStore();
afterAll(() => store.close());

const START = 1_772_000_000_000_000;
const MOST = 500;
const MOST_ROWS = 32_768;
/** In another order as bytes than as units of UTF-16. */
const NAMES = ['a', 'b', 'é', '\u{1F600}', '\uFF5E'];
const DIGESTS = ['d1', 'd2', 'd3'];
const CLASSES = ['', 'Dataset', 'Model'];

const fact = fc.record({
  name: fc.constantFrom(...NAMES),
  kind: fc.constantFrom('object' as const, 'op' as const),
  digest: fc.constantFrom(...DIGESTS),
  at: fc.nat(3),
  published: fc.nat(9),
  deleted: fc.nat(9),
  base: fc.constantFrom(...CLASSES),
  leaf: fc.constantFrom(...CLASSES),
});
type GeneratedFact = typeof fact extends fc.Arbitrary<infer Value> ? Value : never;

const classes = fc.option(fc.subarray(CLASSES), { nil: null });
const direction = fc.constantFrom('asc' as const, 'desc' as const);
const query = fc.record({
  filter: fc.record({
    object_ids: fc.option(fc.subarray(NAMES), { nil: null }),
    latest_only: fc.boolean(),
    is_op: fc.option(fc.boolean(), { nil: null }),
    base_object_classes: classes,
    exclude_base_object_classes: classes,
    leaf_object_classes: classes,
  }),
  sort: fc.array(
    fc.tuple(fc.constantFrom('object_id' as const, 'created_at' as const), direction),
    { maxLength: 2 },
  ),
  limit: fc.option(fc.nat(4), { nil: undefined }),
  offset: fc.nat(3),
});

/** A fact may publish its version, delete it, or both. Sequence numbers are distinct, and so are the indexes of a name's versions. */
const factRow = (project_id: string, one: GeneratedFact, i: number): StoredFact => ({
  project_id,
  object_id: one.name,
  kind: one.kind,
  digest: one.digest,
  version_index: DIGESTS.indexOf(one.digest),
  first: { seq: 1 + i, at: micros(START + one.at), user_id: 'ann' },
  published: one.published === 0 ? 0 : one.published * 100 + i,
  deleted: { seq: one.deleted === 0 ? 0 : one.deleted * 100 + 50 + i, at: micros(START) },
  base_object_class: one.base,
  leaf_object_class: one.leaf,
  size_bytes: 2,
  val: Buffer.from('{}'),
});

const comparable = ({ object_id, kind, digest, idx, is_live, is_latest }: VersionRow) =>
  [object_id, kind, digest, idx, is_live, is_latest].join(' ');

describe('the page of a few versions', () => {
  it('is the one that ClickHouse selects', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fact, { maxLength: 20 }),
        fc.array(query, { minLength: 5, maxLength: 10 }),
        async (facts, queries) => {
          const projectId = aProject();
          await store.insert(
            OBJECTS,
            facts.map((one, i) => factRow(projectId, one, i)),
          );
          for (const one of queries) {
            const whole: ObjectsQuery = {
              ...{ projectId, withVal: false, withNames: false, withDeleted: false },
              ...one,
            };
            const versions = versionsUpTo(MOST, MOST_ROWS, whole);
            const all = await store.rows<VersionWithoutLatestRow>(versions);
            const expected = await store.rows<VersionRow>(queryObjects(whole));
            expect(pageOfVersions(withLatest(all), whole).map(comparable)).toEqual(
              expected.map(comparable),
            );
          }
        },
      ),
      { numRuns: 15 },
    );
  });
});

describe('a list of versions', () => {
  const statements: string[] = [];
  const blocks = (statement: Sql) => {
    statements.push(statement.render().query);
    return store.stream<VersionRow>(statement, READ_SETTINGS);
  };
  const executor = {
    rows: async (statement: Sql) => {
      const rows: VersionRow[] = [];
      for await (const block of blocks(statement)) rows.push(...block);
      return rows;
    },
    stream: blocks,
  } as unknown as QueryExecutor;

  async function indexesOf(projectId: string, maxRows: number): Promise<number[]> {
    statements.length = 0;
    const reader = new ObjectsReader(executor, { maxRows });
    const request = { project_id: projectId, metadata_only: true, limit: 3, offset: 1 };
    const indexes: number[] = [];
    for await (const rows of reader.rows(request, {} as ReadContext))
      indexes.push(...rows.map(({ idx }) => idx));
    return indexes;
  }

  async function projectWith(versions: number): Promise<string> {
    const projectId = aProject();
    const one = {
      name: 'a',
      kind: 'object',
      published: 1,
      deleted: 0,
      base: '',
      leaf: '',
    } as const;
    await store.insert(
      OBJECTS,
      Array.from({ length: versions }, (_, i) => ({
        ...factRow(projectId, { ...one, digest: `d${i}`, at: i }, i),
        version_index: i,
      })),
    );
    return projectId;
  }

  it('is one statement up to 500 versions, and chosen by ClickHouse above', async () => {
    expect(await indexesOf(await projectWith(MOST), 0)).toEqual([1, 2, 3]);
    expect(statements).toHaveLength(1);
    expect(await indexesOf(await projectWith(MOST + 1), 0)).toEqual([1, 2, 3]);
    expect(statements).toHaveLength(2);
  });

  it('is chosen by ClickHouse where many rows would be read to find few versions', async () => {
    const projectId = await projectWith(5);

    expect(await indexesOf(projectId, 1)).toEqual([1, 2, 3]);
    expect(statements).toHaveLength(2);
    expect(statements[1]).toContain('is_latest');
  });
});
