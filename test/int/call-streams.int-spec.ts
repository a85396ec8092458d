import { CALLS, raw, type CallRow } from '@app/clickhouse';
import { micros } from '@app/wire';
import { CallFields } from '../../apps/query/src/calls/call-fields.js';
import { DEFAULT_CALL_THRESHOLDS } from '../../apps/query/src/calls/call-thresholds.js';
import { CallStreams } from '../../apps/query/src/calls/call-streams.js';
import { callsQuery, type CallsRequest } from '../../apps/query/src/calls/calls-query.js';
import type { QueryExplanation, ReadContext } from '../../apps/query/src/read-context.js';
import { aProject } from '../support/test-server.js';
import { callsReader, executorOf } from '../support/calls-reader.js';
import { aCallRow, openStore } from '../support/store.js';

const store = openStore();
afterAll(() => store.close());

const streams = new CallStreams(executorOf(store), DEFAULT_CALL_THRESHOLDS);
const START = 1_772_000_000_000_000;
const COUNT = 11_500;
const idOf = (n: number) => `c${String(n).padStart(5, '0')}`;
const project_id = aProject();

/** Ten calls start at the same time, so that a window ends between equal start times. Every hundredth call has failed. */
beforeAll(() =>
  store.insert(
    CALLS,
    Array.from({ length: COUNT }, (_, n) => aCall(n)),
  ),
);

const aCall = (n: number, fields: Partial<CallRow> = {}) =>
  aCallRow({
    project_id,
    id: idOf(n),
    started_at: micros(START + Math.floor(n / 10)),
    status: n % 100 === 0 ? 'error' : 'success',
    inputs: JSON.stringify({ text: 'x'.repeat(100) }),
    ...fields,
  });

const readingOf = (explained?: QueryExplanation[]) =>
  ({
    principal: { user: 'ann', role: 'read', scope: '*', keyId: 'k' },
    projectIds: [project_id],
    signal: new AbortController().signal,
    explanations: explained,
  }) as unknown as ReadContext;

function blocksOf(request: Omit<CallsRequest, 'project_id'>, explained?: QueryExplanation[]) {
  const callsOfRequest = callsQuery({ project_id, ...request }, new CallFields(project_id));
  return streams.rows(callsOfRequest, ['id', 'started_at', 'inputs'], readingOf(explained));
}

async function idsOf(...given: Parameters<typeof blocksOf>): Promise<string[]> {
  const ids: string[] = [];
  for await (const rows of blocksOf(...given)) ids.push(...rows.map(({ id }) => id));
  return ids;
}

const LARGE = JSON.stringify({ text: 'x'.repeat(100_000) });

/** Columns in an order that no other statement has. */
const TAGGED = ['id', 'started_at', 'turn_id', 'inputs'];

async function untilNoneRuns(): Promise<void> {
  const running = raw(`SELECT count() AS n FROM system.processes
    WHERE query LIKE '%turn_id, inputs%' AND query NOT LIKE '%system.processes%'`);
  for (let n = 1; n > 0;) {
    const [row] = await store.rows<{ n: number | string }>(running);
    n = Number(row!.n);
  }
}

const ids = (...numbers: number[]) => numbers.map(idOf);
const all = ids(...Array(COUNT).keys());
const down = { sort_by: [{ field: 'started_at', direction: 'desc' as const }] };
const withStatus = (status: string) => ({
  query: { $expr: { $eq: [{ $getField: 'summary.weave.status' }, { $literal: status }] } },
});
const failed = withStatus('error');

describe('a stream of calls', () => {
  it('has every call once and in order, window by window', async () => {
    const explained: QueryExplanation[] = [];

    expect(await idsOf({}, explained)).toEqual(all);
    expect(await idsOf(down)).toEqual([...all].reverse());
    expect(explained.filter(({ sql }) => sql.includes('inputs'))).toHaveLength(3);
  });

  it('ends at its limit, inside a window or at its end', async () => {
    for (const limit of [1000, 1500, 9001, 11_000])
      expect(await idsOf({ limit })).toEqual(all.slice(0, limit));
    expect(await idsOf({ ...down, limit: 1001 })).toEqual(all.slice(-1001).reverse());
  });

  it('has only the calls that match', async () => {
    expect(await idsOf(failed)).toEqual(all.filter((_, n) => n % 100 === 0));
    expect(await idsOf({ ...failed, ...down, limit: 2000 })).toEqual(
      all.filter((_, n) => n % 100 === 0).reverse(),
    );
  });

  it('reads no payload of a call that does not match', async () => {
    const [matching, everything]: [QueryExplanation[], QueryExplanation[]] = [[], []];

    expect(await idsOf(withStatus('running'), matching)).toEqual([]);
    await idsOf({}, everything);
    const bytes = (explained: QueryExplanation[]) =>
      explained.reduce((sum, { bytes_read }) => sum + bytes_read, 0);
    expect(bytes(matching)).toBeLessThan(bytes(everything) / 4);
  });

  it('occupies no statement while its client is slow, and continues where it was', async () => {
    const project_id = aProject();
    const texts = Array.from({ length: 200 }, (_, n) => aCall(n, { project_id, inputs: LARGE }));
    await store.insert(CALLS, texts);
    const query = callsQuery({ project_id }, new CallFields(project_id));
    const blocks = streams.rows(query, TAGGED, readingOf());
    const seen = (await blocks.next()).value!.map(({ id }) => id);
    await untilNoneRuns();
    for await (const rows of blocks) seen.push(...rows.map(({ id }) => id));

    expect(seen).toEqual(all.slice(0, 200));
  });

  it('has fewer calls in memory together when they are large', async () => {
    const project_id = aProject();
    const texts = Array.from({ length: 40 }, (_, n) => aCall(n, { project_id, inputs: LARGE }));
    await store.insert(CALLS, texts);
    const few = new CallStreams(executorOf(store), {
      ...DEFAULT_CALL_THRESHOLDS,
      bytes: 1_000_000,
    });
    const sort_by = [{ field: 'id', direction: 'desc' as const }];
    const query = callsQuery({ project_id, sort_by }, new CallFields(project_id));
    const blocks: string[][] = [];
    for await (const rows of few.rows(query, ['id', 'started_at', 'inputs'], readingOf()))
      blocks.push(rows.map(({ id }) => id));

    expect(blocks.flat()).toEqual(all.slice(0, 40).reverse());
    expect(Math.max(...blocks.map(({ length }) => length))).toBeLessThan(11);
  });

  it('continues after a call that is deleted while it is read', async () => {
    const most = { query: { $expr: { $not: [failed.query.$expr] } } };
    const blocks = blocksOf(most);
    const seen = (await blocks.next()).value!.map(({ id }) => id);
    await store.insert(CALLS, [aCall(1201, { version: 2n, is_deleted: 1 })]);
    for await (const rows of blocks) seen.push(...rows.map(({ id }) => id));
    await store.insert(CALLS, [aCall(1201, { version: 3n })]);

    expect(seen.filter((id) => id !== idOf(1201))).toEqual(
      all.filter((_, n) => n % 100 !== 0 && n !== 1201),
    );
  });

  it('leaves out calls that start while it is read, so that it ends', async () => {
    const blocks = blocksOf({});
    const seen: string[] = [];
    let later = 0;
    for await (const rows of blocks) {
      seen.push(...rows.map(({ id }) => id));
      if (seen.length > 1000) await store.insert(CALLS, [aCall(COUNT + 10 + later++)]);
    }
    const written = Array.from({ length: later }, (_, i) => COUNT + 10 + i);
    await store.insert(
      CALLS,
      written.map((n) => aCall(n, { version: 2n, is_deleted: 1 })),
    );

    expect(later).toBeGreaterThan(0);
    expect(seen).toEqual(all);
  });
});

describe('one call', () => {
  it('is read in its newest version, also when its versions together are too large to be sent', async () => {
    const id = 'call-with-large-versions';
    const started_at = micros(START - 1);
    for (const version of [1n, 3n, 2n]) {
      const inputs = JSON.stringify({ version: Number(version), text: 'x'.repeat(3_000_000) });
      await store.insert(CALLS, [aCallRow({ project_id, id, started_at, inputs, version })]);
    }

    const call = await callsReader(store).read({ project_id, id }, readingOf());

    expect(JSON.parse(call!)).toMatchObject({ id, inputs: { version: 3 } });
  });
});
