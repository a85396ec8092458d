import { addTextIndex, CALLS, DELETED_VERSION, sql, type CallRow, type Sql } from '@app/clickhouse';
import { micros } from '@app/wire';
import fc from 'fast-check';
import { CallFields } from '../../apps/query/src/calls/call-fields.js';
import { callsQuery } from '../../apps/query/src/calls/calls-query.js';
import { PayloadSearch } from '../../apps/query/src/calls/payload-search.js';
import type { QueryExecutor } from '../../apps/query/src/query-executor.js';
import type { ReadContext } from '../../apps/query/src/read-context.js';
import { READ_SETTINGS } from '../../apps/query/src/read-settings.js';
import { INSERT_SETTINGS } from '../../apps/worker/src/calls/calls.writer.js';
import { aProject } from '../support/test-server.js';
import { aCallRow, openOwnStore, openStore } from '../support/store.js';

const store = openStore();
afterAll(() => store.close());

const START = micros(1_772_000_000_000_000);

/** A project whose calls are searched for "needle" in their inputs; `meanwhile` runs after the first statement. */
function aSearch(meanwhile: (write: Write) => Promise<void> = async () => undefined) {
  const project_id = aProject();
  const write: Write = (...rows) =>
    store.insert(
      CALLS,
      rows.map((row) => aCallRow({ project_id, started_at: START, leaf_full: 0, ...row })),
    );
  let statements = 0;
  const rows = async (statement: Sql) => {
    const result = await store.rows(statement);
    if (++statements === 1) await meanwhile(write);
    return result;
  };
  const search = new PayloadSearch({ rows } as unknown as QueryExecutor, { found: 10_000 });
  const $expr = { $contains: { input: { $getField: 'inputs.a' }, substr: { $literal: 'needle' } } };
  const callsOfRequest = callsQuery({ project_id, query: { $expr } }, new CallFields(project_id));
  return {
    write,
    statements: () => statements,
    found: async () =>
      (await search.find(callsOfRequest, {} as ReadContext))?.map(({ id }) => id).sort(),
  };
}

type Write = (...rows: Partial<CallRow>[]) => Promise<void>;

const HIT = '{"a":"a needle"}';
const MISS = '{"a":"hay","b":"needle"}';

describe('a search in payloads', () => {
  it('finds calls by their newest row, whichever was written last', async () => {
    const { write, found } = aSearch();
    await write({ id: 'same', inputs: HIT }, { id: 'never', inputs: MISS });
    await write({ id: 'same', inputs: HIT, version: 2n });
    await write({ id: 'lost', inputs: MISS, version: 2n }, { id: 'won', inputs: HIT, version: 2n });
    await write({ id: 'lost', inputs: HIT }, { id: 'won', inputs: MISS });

    expect(await found()).toEqual(['same', 'won']);
  });

  it('finds no deleted call, and finds a call that has moved or has replaced its tombstone', async () => {
    const { write, found } = aSearch();
    await write({ id: 'gone', inputs: HIT }, { id: 'moved', inputs: HIT, version: 2n });
    await write(
      { id: 'gone', version: DELETED_VERSION + 2n, is_deleted: 1 },
      { id: 'moved', started_at: START, version: 3n, is_deleted: 1 },
      { id: 'moved', started_at: micros(START + 1), version: 3n, inputs: HIT },
    );
    await write({ id: 'stays', version: 2n, is_deleted: 1 });
    await write({ id: 'stays', version: 2n, inputs: HIT });

    expect(await found()).toEqual(['moved', 'stays']);
  });

  it('finds a call that is written again during the search if it still matches', async () => {
    const { write, found, statements } = aSearch((again) =>
      again(
        { id: 'ended', inputs: HIT, version: 2n },
        { id: 'changed', inputs: MISS, version: 2n },
        { id: 'deleted', version: DELETED_VERSION + 2n, is_deleted: 1 },
      ),
    );
    await write(...['ended', 'changed', 'deleted', 'quiet'].map((id) => ({ id, inputs: HIT })));

    expect(await found()).toEqual(['ended', 'quiet']);
    expect(statements()).toBe(3);
  });

  it('parses JSON exactly where ClickHouse does not', async () => {
    const { write, found } = aSearch();
    await write(
      { id: 'twice', inputs: '{"a":"needle","a":"hay"}' },
      { id: 'last', inputs: '{"a":"hay","a":"needle"}' },
      { id: 'escaped', inputs: String.raw`{"\u0061":"needle"}` },
      { id: 'escaped twice', inputs: String.raw`{"a":"needle","\u0061":"hay"}` },
      { id: 'big', inputs: '{"n":123456789012345678901234567890,"a":"needle"}' },
      { id: 'in an object', inputs: '{"a":{"b":"needle"}}' },
      { id: 'elsewhere', inputs: '{"b":{"a":"needle"}}' },
      { id: 'lone', inputs: String.raw`{"a":"\ud800 needle"}` },
    );

    expect(await found()).toEqual(['big', 'escaped', 'in an object', 'last', 'lone']);
  });
});

describe('a search in payloads with a text index', () => {
  const WORDS = [
    'needle',
    'need',
    'Ünder',
    'a_b',
    '50%',
    'back\\slash',
    '"',
    '\\u00e9',
    '😀',
    'hay',
  ];
  const word = fc.constantFrom(...WORDS);
  const text = fc.array(word, { maxLength: 6 }).map((words) => words.join(' '));
  const call = fc.record({
    input: text,
    output: text,
    isEscaped: fc.boolean(),
    isFresh: fc.boolean(),
  });
  const needle = fc.oneof(word, text, fc.string());

  it('finds the calls that contain the texts, and no others', async () => {
    const indexed = await openOwnStore();
    try {
      await addTextIndex(indexed.client, { kind: 'single' });
      const rows = (statement: Sql) => indexed.rows(statement, READ_SETTINGS);
      const search = new PayloadSearch({ rows } as unknown as QueryExecutor, { found: 10_000 });
      await fc.assert(
        fc.asyncProperty(
          fc.array(call, { minLength: 1, maxLength: 60 }),
          fc.array(fc.tuple(needle, needle), { minLength: 3, maxLength: 6 }),
          async (calls, needles) => {
            const project_id = aProject();
            const rowsOf = (isFresh: boolean) =>
              calls.flatMap((one, i) => {
                if (one.isFresh !== isFresh) return [];
                const payloads = {
                  inputs: jsonOf(one.input, one),
                  output: jsonOf(one.output, one),
                };
                return [{ project_id, id: `c${i}`, started_at: START, leaf_full: 0, ...payloads }];
              });
            // A merge builds the index; the parts that the worker inserts have none.
            await indexed.insert(CALLS, rowsOf(false).map(aCallRow), INSERT_SETTINGS);
            await indexed.run(sql`OPTIMIZE TABLE calls FINAL`);
            await indexed.insert(CALLS, rowsOf(true).map(aCallRow), INSERT_SETTINGS);

            for (const [input, output] of needles) {
              const $or = [contains('inputs.a', input), contains('output.a', output)];
              const query = callsQuery(
                { project_id, query: { $expr: { $or } } },
                new CallFields(project_id),
              );
              const found = await search.find(query, {} as ReadContext);
              const expected = calls.flatMap((one, i) =>
                one.input.includes(input) || one.output.includes(output) ? [`c${i}`] : [],
              );
              expect(found?.map(({ id }) => id).sort()).toEqual(expected.sort());
            }
          },
        ),
        { numRuns: 15 },
      );
    } finally {
      await indexed.close();
    }
  });
});

const contains = (path: string, text: string) => ({
  $contains: { input: { $getField: path }, substr: { $literal: text } },
});

/** Some clients escape every character that is not ASCII. */
function jsonOf(text: string, { isEscaped }: { readonly isEscaped: boolean }): string {
  const json = JSON.stringify({ a: text });
  if (!isEscaped) return json;
  return json.replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
