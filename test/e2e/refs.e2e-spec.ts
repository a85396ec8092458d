import { aProject, sharedServer } from '../support/test-server.js';

const server = sharedServer();
const project_id = aProject();
const publish = async (object_id: string, val: unknown, project = project_id): Promise<string> => {
  const obj = { project_id: project, object_id, val };
  return `weave:///${project}/object/${object_id}:${(await server.post('/obj/create', { obj })).digest}`;
};
const read = async (...refs: string[]): Promise<unknown[]> =>
  (await server.post('/refs/read_batch', { refs })).vals;

describe('refs, end to end', () => {
  it('resolve to values along every kind of edge', async () => {
    const ref = await publish('cfg', { a: { 'b/c': [10, { t: 'x' }] }, n: null });
    expect(
      await read(
        ref,
        `${ref}/attr/a/key/b%2Fc/index/1/attr/t`,
        `${ref}/attr/a/key/b%2Fc/index/0`,
        `${ref}/attr/a/key/b%2Fc/index/7`,
        `${ref}/attr/nothing/key/here`,
        `${ref}/attr/n`,
        ref.replace(/:[^:]*$/, ':latest/attr/n'),
        ref.replace(/:[^:]*$/, ':v0/attr/a/key/b%2Fc/index/0'),
      ),
    ).toEqual([{ a: { 'b/c': [10, { t: 'x' }] }, n: null }, 'x', 10, null, null, null, null, 10]);
  });

  it('resolve through other refs and into tables', async () => {
    const table = await server.post('/table/create', {
      table: { project_id, rows: [{ q: 1 }, { q: 2 }] },
    });
    const rows = `weave:///${project_id}/table/${table.digest}`;
    const dataset = await publish('ds', { rows });
    const holder = await publish('holder', { dataset, list: [dataset] });
    const row = (i: number) => `id/${table.row_digests[i]}`;
    expect(
      await read(
        `${dataset}/attr/rows/${row(1)}/key/q`,
        `${holder}/attr/list/index/0/attr/rows/${row(0)}`,
        `${holder}/attr/dataset`,
        `${rows}/${row(0)}/key/q`,
      ),
    ).toEqual([2, { q: 1 }, dataset, 1]);
  });

  it('resolve to null at a deleted version and at a ref into another project', async () => {
    const foreign = await publish('far', { x: 1 }, aProject());
    const near = await publish('near', { foreign });
    const gone = await publish('gone', { x: 1 });
    await server.post('/obj/delete', { project_id, object_id: 'gone' });
    expect(await read(`${near}/attr/foreign/attr/x`, gone)).toEqual([null, null]);
    expect(await read(`${foreign}/attr/x`)).toEqual([1]);
  });

  it.each([
    ['nonsense', 400, /nonsense/],
    [`weave:///${project_id}/call/1`, 400, /call/],
    [`weave:///${project_id}/table/1`, 400, /table/],
    [`weave:///${project_id}/object/x:1/attr`, 400, /pairs/],
    [`weave:///${project_id}/object/x:1/index/a`, 400, /index/],
    [`weave:///${project_id}/object/unknown:${'a'.repeat(43)}`, 404, /unknown:a+/],
    [`weave:///${project_id}/table/1/id/nope`, 404, /nope/],
  ])('are refused with a reason: %s', async (ref, status, says) => {
    const response = await server.send('/refs/read_batch', { refs: [ref] });
    expect([response.status, response.text]).toEqual([status, expect.stringMatching(says)]);
  });

  it('may name a value often, up to the bytes of one response', async () => {
    const ref = await publish('large', { text: 'x'.repeat(4 * 1024 ** 2) });
    const named = (times: number) =>
      server.send('/refs/read_batch', { refs: Array<string>(times).fill(ref) });
    const [few, many] = [await named(4), await named(150)];

    expect(few.json().vals.map(({ text }: any) => text.length)).toEqual(
      Array(4).fill(4 * 1024 ** 2),
    );
    expect([many.status, many.text]).toEqual([413, expect.stringContaining('134217728 bytes')]);
  });

  it('are limited to a thousand per request', async () => {
    const refs = Array<string>(1001).fill('weave:///a/b/object/x:1');
    expect((await server.send('/refs/read_batch', { refs })).status).toBe(400);
  });
});
