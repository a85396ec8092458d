import { aProject, sharedServer } from '../support/test-server.js';
import { aSpan, startItem } from '../support/records.js';

const server = sharedServer();

interface Source {
  readonly source_kind: string;
  readonly source_id: string;
  readonly source_trace_id: string;
}

const call = (id: string): Source => ({
  ...{ source_kind: 'call', source_id: id, source_trace_id: `trace-${id}` },
});
const conversation = (id: string): Source => ({
  ...{ source_kind: 'conversation', source_id: id, source_trace_id: '' },
});

async function aProjectWithCalls(...ids: string[]): Promise<string> {
  const project_id = aProject();
  const started_at = '2026-03-01T10:00:00.000000Z';
  const batch = ids.map((id) =>
    startItem({ project_id, id, trace_id: `trace-${id}`, op_name: 'reply', started_at }),
  );
  await server.post('/call/upsert_batch', { batch });
  return project_id;
}

const link = (project_id: string, row_digest: string, sources: Source[], more: object = {}) =>
  server.send('/dataset_sources/link', {
    ...{ project_id, dataset_object_id: 'examples', dataset_digest: 'v0' },
    ...{ links: [{ row_digest, sources, ...more }], include_created_status: true },
  });
const linked = async (...request: Parameters<typeof link>) => {
  const response = await link(...request);
  expect({ status: response.status, text: response.text }).toMatchObject({ status: 200 });
  return response.json().entries as { link_id: string; created: boolean }[];
};
const query = async (project_id: string, more: object = {}) =>
  (
    await server.post('/dataset_sources/query', {
      ...{ project_id, dataset_object_id: 'examples', ...more },
    })
  ).links as Record<string, unknown>[];
const datasetsOf = async (project_id: string, sources: Source[], more: object = {}) =>
  (await server.post('/dataset_sources/source_datasets_query', { project_id, sources, ...more }))
    .memberships as Record<string, unknown>[];

describe('the sources of datasets', () => {
  it('are linked once, with what is known of them, and found from both ends', async () => {
    const project_id = await aProjectWithCalls('c1', 'c2');
    const wrongTrace = { ...call('c1'), source_trace_id: 'wrong' };
    const [first] = await linked(project_id, 'row-1', [wrongTrace]);
    const [again, other] = await linked(project_id, 'row-1', [call('c1'), conversation('talk')]);
    const link_metadata = { note: 'n', constructor: 1, deep: [{ a: null }] };
    await linked(project_id, 'row-2', [call('c1'), call('c2')], { link_metadata });

    expect([first!.created, again!.created, other!.created]).toEqual([true, false, true]);
    expect(again!.link_id).toBe(first!.link_id);
    const links = await query(project_id);
    expect(links.map(({ row_digest, source_id }) => [row_digest, source_id])).toEqual([
      ['row-1', 'c1'],
      ['row-1', 'talk'],
      ['row-2', 'c1'],
      ['row-2', 'c2'],
    ]);
    expect(links[0]).toEqual({
      ...{ id: first!.link_id, row_digest: 'row-1', source_kind: 'call', source_id: 'c1' },
      ...{ source_trace_id: 'trace-c1', source_display_name: 'reply', link_metadata: null },
      source_started_at: '2026-03-01T10:00:00.000000Z',
      ...{ added_by: 'ann', deleted_at: null },
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    const [second, ...more] = await query(project_id, { row_digests: ['row-2'], limit: 1 });
    expect(second!['link_metadata']).toEqual({ note: 'n', deep: [{ a: null }] });
    expect(more).toEqual([]);
    expect(await query(project_id, { source_kinds: ['conversation'] })).toHaveLength(1);
    expect(await query(project_id, { dataset_object_id: 'other' })).toEqual([]);

    const span = { ...call('c1'), source_kind: 'span', source_trace_id: 'none' };
    expect(await datasetsOf(project_id, [wrongTrace, conversation('talk'), span])).toMatchObject([
      {
        ...{ source_kind: 'call', source_id: 'c1', source_trace_id: 'trace-c1' },
        ...{ dataset_object_id: 'examples', row_digests: ['row-1', 'row-2'] },
        ...{ row_digests_total_count: 2, row_digests_truncated: false },
        first_seen_at: links[0]!['created_at'],
      },
      { source_kind: 'conversation', source_id: 'talk', row_digests: ['row-1'] },
    ]);
  });

  it('may be spans of agents, or spans that became calls', async () => {
    const project_id = aProject();
    const [agent, other] = [aSpan({ name: 'plan' }), aSpan({ name: 'search' })];
    const send = (path: string, span: object) =>
      server.send(
        path,
        { resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] },
        { headers: { project_id } },
      );
    await send('/agents/otel/v1/traces', agent);
    await send('/otel/v1/traces', other);
    const source = ({ spanId, traceId }: typeof agent): Source => ({
      ...{ source_kind: 'span', source_id: spanId, source_trace_id: traceId },
    });
    await linked(project_id, 'row', [source(agent), source(other)]);

    const links = await query(project_id, { source_kinds: ['span'] });
    expect(links.map((one) => [one['source_display_name'], one['source_trace_id']])).toEqual([
      ['plan', agent.traceId],
      ['search', other.traceId],
    ]);
    expect(await datasetsOf(project_id, [source(agent)])).toHaveLength(1);
    const elsewhere = { ...source(agent), source_trace_id: other.traceId };
    expect((await link(project_id, 'row', [elsewhere])).status).toBe(404);
    expect(await datasetsOf(project_id, [elsewhere])).toEqual([]);
  });

  it('are unlinked all or none, and linked again under the same id', async () => {
    const project_id = await aProjectWithCalls('c1');
    const link_id = (await linked(project_id, 'row', [call('c1')]))[0]!.link_id;
    const unlink = (...link_ids: string[]) =>
      server.send('/dataset_sources/link_delete', { project_id, link_ids });

    expect((await unlink(link_id, 'unknown')).status).toBe(404);
    expect(await query(project_id)).toHaveLength(1);
    expect((await unlink(link_id)).json()).toEqual({ entries: [{ link_id, deleted: true }] });
    expect((await unlink(link_id)).json()).toEqual({ entries: [{ link_id, deleted: false }] });
    expect(await query(project_id)).toEqual([]);
    expect(await datasetsOf(project_id, [call('c1')])).toEqual([]);
    const [removed] = await query(project_id, { include_deleted: true });
    expect(removed).toMatchObject({ id: link_id, deleted_at: expect.any(String) });
    expect(await datasetsOf(project_id, [call('c1')], { include_deleted: true })).toHaveLength(1);
    expect(await linked(project_id, 'row', [call('c1')])).toEqual([{ link_id, created: false }]);
    expect(await query(project_id)).toMatchObject([{ id: link_id, deleted_at: null }]);
  });

  it('return the first hundred rows of a source, and how many there are', async () => {
    const project_id = await aProjectWithCalls('c1');
    const rows = Array.from({ length: 101 }, (_, i) => `row-${i}`);
    await server.post('/dataset_sources/link', {
      ...{ project_id, dataset_object_id: 'examples', dataset_digest: 'v0' },
      links: rows.map((row_digest) => ({ row_digest, sources: [call('c1')] })),
    });
    expect(await datasetsOf(project_id, [call('c1')])).toMatchObject([
      {
        ...{ row_digests_total_count: 101, row_digests_truncated: true },
        row_digests: [...rows].sort().slice(0, 100),
      },
    ]);
  });

  it('are refused as a whole when one is unknown or malformed', async () => {
    const project_id = await aProjectWithCalls('c1');
    const statusOf = async (sources: Source[]) => (await link(project_id, 'r', sources)).status;
    expect(await statusOf([call('c1'), call('unknown')])).toBe(404);
    expect(
      await statusOf([call('c1'), { ...call('c1'), source_kind: 'span', source_trace_id: 'x' }]),
    ).toBe(404);
    expect(await statusOf([call('c1'), { ...conversation('t'), source_trace_id: 'x' }])).toBe(400);
    expect(await statusOf([{ ...call('c1'), source_kind: 'rumour' }])).toBe(422);
    const two = Array(501).fill({ row_digest: 'r', sources: [call('c1'), call('c1')] });
    const many = await server.send('/dataset_sources/link', {
      ...{ project_id, dataset_object_id: 'd', dataset_digest: '', links: two },
    });
    expect(many.status).toBe(413);
    expect(await query(project_id)).toEqual([]);
  });
});
