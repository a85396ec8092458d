import { CALLS, DELETED_VERSION, type CallRow, type Sql } from '@app/clickhouse';
import { micros } from '@app/wire';
import { CallFields } from '../../apps/query/src/calls/call-fields.js';
import { callsQuery } from '../../apps/query/src/calls/calls-query.js';
import { PayloadSearch } from '../../apps/query/src/calls/payload-search.js';
import type { QueryExecutor } from '../../apps/query/src/query-executor.js';
import type { ReadContext } from '../../apps/query/src/read-context.js';
import { aProject } from '../support/test-server.js';
import { aCallRow, openStore } from '../support/store.js';

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
