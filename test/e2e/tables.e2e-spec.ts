import { aProject, sharedServer } from '../support/test-server.js';

const server = sharedServer();

const create = (project_id: string, rows: unknown, more: object = {}): Promise<any> =>
  server.post('/table/create', { table: { project_id, rows, ...more } });
const rowsOf = async (project_id: string, digest: string, more: object = {}): Promise<any[]> =>
  (await server.post('/table/query', { project_id, digest, ...more })).rows;

describe('tables, end to end', () => {
  it('have the digests that SDKs compute, and their rows in order', async () => {
    const project_id = aProject();
    const [a, b] = [
      { q: 'a', e: '1' },
      { q: 'b', e: '2' },
    ];
    const created = await create(project_id, [a, b, a]);
    expect(created).toEqual({
      digest: 'f573c3bc7356932358efed180f15f749e18fef428cd5fb11804b76dc1fac9be4',
      row_digests: [
        'Ce5EFXXFiMGXalQv7szvU643XxWIiNBgpzxeY0dU720',
        'Fk81shiR8cwRfCNEjEX7EgyBIP7I0fhmzQGKBVtpOVc',
        'Ce5EFXXFiMGXalQv7szvU643XxWIiNBgpzxeY0dU720',
      ],
    });
    expect(await create(project_id, [a, b, a])).toEqual(created);

    const { digest, row_digests } = created;
    const row = (val: object, i: number) => ({ digest: row_digests[i], val, original_index: i });
    expect(await rowsOf(project_id, digest)).toEqual([row(a, 0), row(b, 1), row(a, 2)]);
    expect(await rowsOf(project_id, digest, { limit: 1, offset: 1 })).toEqual([row(b, 1)]);
    const filter = { row_digests: [row_digests[0]] };
    expect(await rowsOf(project_id, digest, { filter })).toEqual([row(a, 0), row(a, 2)]);
    expect(await rowsOf(project_id, digest, { filter, offset: 1 })).toEqual([row(a, 2)]);
    expect(await server.post('/table/query_stats', { project_id, digest })).toEqual({ count: 3 });
    expect(await rowsOf(project_id, 'unknown')).toEqual([]);
    expect(await server.post('/table/query_stats', { project_id, digest: 'x' })).toEqual({
      count: 0,
    });
    expect(
      await server.post('/table/query_stats_batch', {
        project_id,
        digests: [digest, 'x'],
        include_storage_size: true,
      }),
    ).toEqual({ tables: [{ digest, count: 3, storage_size_bytes: 3 * JSON.stringify(a).length }] });
  });

  it('are sorted by dotted paths: missing values last, numbers as numbers, with order or direction', async () => {
    const project_id = aProject();
    const values = [
      { x: { y: 10 } },
      { x: {} },
      { x: { y: 'b' } },
      { x: { y: 9.5 } },
      { x: { y: 'a' } },
    ];
    const { digest } = await create(project_id, values);
    const order = async (key: object, more: object = {}) =>
      (await rowsOf(project_id, digest, { sort_by: [{ field: 'x.y', ...key }], ...more })).map(
        (row) => row.val.x.y,
      );
    expect(await order({ direction: 'asc' })).toEqual([9.5, 10, 'a', 'b', undefined]);
    expect(await order({ order: 'desc' })).toEqual([10, 9.5, 'b', 'a', undefined]);
    expect(await order({ order: 'desc' }, { limit: 2, offset: 1 })).toEqual([9.5, 'b']);
    // A field that is repeated has no effect.
    const twice = [
      { field: 'x.y', order: 'asc' },
      { field: 'x.y', order: 'desc' },
    ];
    expect(await order({}, { sort_by: twice })).toEqual([9.5, 10, 'a', 'b', undefined]);
    expect(await order({}, { sort_by: [...twice].reverse(), limit: 2 })).toEqual([10, 9.5]);
  });

  it('are sorted also when rows have values that ClickHouse cannot parse, are repeated, or were never uploaded', async () => {
    const project_id = aProject();
    const rows = [
      '{"n":2,"big":123456789012345678901234567890}',
      '{"n":1.5,"lone":"\\ud800"}',
      '{"n":"\\ud800"}',
      '{"n":3}',
    ];
    const body = `{"table":{"project_id":"${project_id}","rows":[${rows.join(',')}]}}`;
    const { row_digests } = (await server.send('/table/create', body)).json();
    const [big, lone, text, three] = row_digests;
    const listed = [three, 'never-uploaded', big, three, lone, text];
    const { digest } = await server.post('/table/create_from_digests', {
      project_id,
      row_digests: listed,
    });
    const places = async (more: object) =>
      (
        await rowsOf(project_id, digest, { sort_by: [{ field: 'n', direction: 'asc' }], ...more })
      ).map(({ original_index }) => original_index);

    expect(await places({})).toEqual([4, 2, 0, 3, 5, 1]);
    expect(await places({ offset: 1, limit: 3 })).toEqual([2, 0, 3]);
    expect(await places({ filter: { row_digests: [three, lone] } })).toEqual([4, 0, 3]);
    expect(await places({ filter: { row_digests: [three, lone] }, offset: 2 })).toEqual([3]);
    expect(await places({ offset: 6 })).toEqual([]);
    const missing = await rowsOf(project_id, digest, { offset: 1, limit: 1 });
    expect(missing).toEqual([{ digest: 'never-uploaded', val: null, original_index: 1 }]);
  });

  it('keep the text of their rows', async () => {
    const project_id = aProject();
    const row = '{"n":1.0, "big":123456789012345678901234567890}';
    const body = `{"table":{"project_id":"${project_id}","rows":[ ${row} ]}}`;
    const { digest } = (await server.send('/table/create', body)).json();
    const response = await server.send('/table/query', { project_id, digest });
    expect(response.text).toContain(`"val":${row}`);
    expect(response.headers.get('content-type')).toMatch('application/json');
    const lines = await server.send('/table/query_stream', { project_id, digest });
    expect(lines.text.split('\n')).toEqual([expect.stringContaining(row), '']);
    expect(lines.headers.get('content-type')).toMatch('application/jsonl');
    const none = await server.send('/table/query_stream', { project_id, digest: 'x' });
    expect(none.text).toBe('');
  });

  it('are created from uploaded rows and from other tables', async () => {
    const project_id = aProject();
    const { row_digests: digests, digest: base } = await create(project_id, [{ n: 1 }, { n: 2 }]);
    const reversed = await server.post('/table/create_from_digests', {
      project_id,
      row_digests: [...digests].reverse(),
    });
    expect((await rowsOf(project_id, reversed.digest)).map(({ val }) => val.n)).toEqual([2, 1]);

    const updates = [
      { append: { row: { n: 3 } } },
      { insert: { index: 0, row: { n: 0 } } },
      { pop: { index: 1 } },
    ];
    const updated = await server.post('/table/update', { project_id, base_digest: base, updates });
    expect(updated.updated_row_digests[2]).toBe(digests[0]);
    expect(updated.updated_row_digests).toHaveLength(3);
    expect((await rowsOf(project_id, updated.digest)).map(({ val }) => val.n)).toEqual([0, 2, 3]);
    expect((await create(project_id, [{ n: 0 }, { n: 2 }, { n: 3 }])).digest).toBe(updated.digest);

    const empty = { project_id, row_digests: [] };
    const { digest } = await server.post('/table/create_from_digests', empty);
    expect(digest).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
    expect(await rowsOf(project_id, digest)).toEqual([]);
  });

  it('of many rows are stored in parts and returned whole', async () => {
    const project_id = aProject();
    const rows = Array.from({ length: 30_000 }, (_, n) => ({ n, text: `row ${n} `.repeat(8) }));
    const { digest } = await create(project_id, rows);
    const returned = await rowsOf(project_id, digest);
    expect(returned.map(({ original_index }) => original_index)).toEqual([...rows.keys()]);
    expect(returned[29_999].val).toEqual(rows[29_999]);
    const longer = await server.post('/table/update', {
      project_id,
      base_digest: digest,
      updates: [
        { pop: { index: 29_999 } },
        { insert: { index: 1, row: { n: 'second' } } },
        { append: { row: { n: 'last' } } },
        { pop: { index: 0 } },
      ],
    });
    const after = (await rowsOf(project_id, longer.digest)).map(({ val }) => val.n);
    expect(after).toEqual(['second', ...rows.slice(1, -1).map(({ n }) => n), 'last']);
    expect(longer.updated_row_digests.map((one: string) => one.length)).toEqual([43, 43, 43, 43]);
    expect(longer.updated_row_digests[0]).toBe(returned[29_999].digest);
    expect(longer.updated_row_digests[3]).toBe(returned[0].digest);
    const page = { sort_by: [{ field: 'n', order: 'desc' }], limit: 2 };
    expect((await rowsOf(project_id, digest, page)).map(({ val }) => val.n)).toEqual([
      29_999, 29_998,
    ]);
  });

  const table = { project_id: 'acme/refused' };
  it.each([
    ['/table/create', { table: { ...table, rows: [{}, 7] } }, 400, /Row 1.*object.*7/],
    ['/table/create', { table: { ...table, rows: {} } }, 400, /rows must be a list/],
    ['/table/create', { table }, 422, /rows.*Field required/],
    ['/table/create', { table: { ...table, rows: [], expected_digest: 'x' } }, 409, /expected x/],
    ['/table/update', { ...table, base_digest: 'x', updates: [] }, 404, /x in acme/],
    ['/table/update', { ...table, base_digest: 'x', updates: [{ drop: 1 }] }, 422, /append/],
    ['/table/query', { ...table, digest: 'x', limit: -1 }, 400, /limit/],
    [
      '/table/query',
      { ...table, digest: 'x', sort_by: [{ field: 'a..b', order: 'asc' }] },
      400,
      /a\.\.b/,
    ],
    [
      '/table/query',
      { ...table, digest: 'x', sort_by: [{ field: '', order: 'asc' }] },
      400,
      /is not a path/,
    ],
    ['/table/query', { ...table, digest: 'x', sort_by: [{ field: 'a' }] }, 422, /direction/],
  ])('are refused by %s when a request is invalid: %#', async (path, body, status, says) => {
    const response = await server.send(path, body);
    expect([response.status, response.text]).toEqual([status, expect.stringMatching(says)]);
  });

  it('are not updated at an index outside the table', async () => {
    const project_id = aProject();
    const { digest } = await create(project_id, [{ n: 1 }]);
    const pop = (index: number) =>
      server.send('/table/update', {
        project_id,
        base_digest: digest,
        updates: [{ pop: { index } }],
      });
    const response = await pop(1);
    expect([response.status, response.text]).toEqual([400, expect.stringMatching(/update 0 is 1/)]);
    expect((await pop(-1)).status).toBe(400);
  });
});
