import fc from 'fast-check';
import type { Sql } from '@app/clickhouse';
import { expectGolden } from '../../../../test/support/golden.js';
import {
  positionsOf,
  rowsAmong,
  rowsBetween,
  rowValues,
  sortedPositions,
  tableCounts,
  tableSizes,
} from './tables.sql.js';

const table = { projectId: 'acme/demo', digest: 't1' };
const sort = [{ keys: ['a', 'b', '0'], direction: 'desc' as const }];

const statements: Record<string, Sql> = {
  'a page of a table': rowsBetween(table, 100, 200),
  'rows at some positions': rowsAmong(table, [7, 3]),
  'where some rows stand': positionsOf(table, ['r1', 'r2']),
  'a large table in an order': sortedPositions(
    { ...table, sort, rowDigests: undefined, isMost: true },
    undefined,
  ),
  'some rows of a table in an order': sortedPositions(
    { ...table, sort, rowDigests: ['r1'], isMost: false },
    100,
  ),
  'rows by digest': rowValues('acme/demo', ['r1']),
  'how many rows': tableCounts('acme/demo', ['t1']),
  'how many bytes': tableSizes('acme/demo', ['t1']),
};

const printed = ([name, query]: [string, Sql]) => `-- ${name}\n${query.render().query};\n`;

describe('the SQL for tables', () => {
  it('is what the golden file has', () => {
    const text = Object.entries(statements).map(printed).join('\n');
    expectGolden('apps/query/src/tables/tables.golden.sql', text);
  });

  it('has the same text whatever values the caller sends', () => {
    const text = fc.string({ unit: 'binary' });
    const sorted = (one: string, digests: string[]) =>
      sortedPositions(
        {
          projectId: one,
          digest: one,
          sort: [{ keys: [`x${one}`], direction: 'asc' }],
          rowDigests: digests,
          isMost: false,
        },
        5,
      ).render().query;
    // The hint in the SQL depends on the characters of a key, so all keys here have the same kind.
    const key = text.filter((one) => /^[a-z]*$/.test(one));
    fc.assert(
      fc.property(key, fc.array(text, { minLength: 1 }), (one, digests) => {
        expect(sorted(one, digests)).toBe(sorted('x', ['x']));
      }),
    );
  });
});
