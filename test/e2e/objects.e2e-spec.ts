import { aProject, sharedServer } from '../support/test-server.js';

const server = sharedServer();

interface Publishing {
  readonly project_id: string;
  readonly object_id?: string;
}

const publish = (where: Publishing, val: unknown, more: object = {}): Promise<any> =>
  server.post('/obj/create', { obj: { object_id: 'cfg', val, ...where, ...more } });
const read = async (project_id: string, digest: string, more: object = {}): Promise<any> =>
  (await server.post('/obj/read', { project_id, object_id: 'cfg', digest, ...more })).obj;
const query = async (project_id: string, filter: object = {}, more: object = {}): Promise<any[]> =>
  (await server.post('/objs/query', { project_id, filter, ...more })).objs;
const versions = async (project_id: string) =>
  (await query(project_id)).map(({ val, version_index, is_latest }) => [
    val.n,
    version_index,
    is_latest,
  ]);
const remove = (project_id: string, digests: string[] | null): Promise<any> =>
  server.post('/obj/delete', { project_id, object_id: 'cfg', digests });
const op = (digest: string) => ({
  _type: 'CustomWeaveType',
  weave_type: { type: 'Op' },
  files: { 'obj.py': digest },
});
const model = (name: string, base: string[]) => ({
  _type: name,
  _class_name: name,
  _bases: [...base, 'Object', 'BaseModel'],
});

describe('objects, end to end', () => {
  it('are readable right after they were published, with the text that was sent', async () => {
    const project_id = aProject();
    const val = '{"b":1.0, "a":123456789012345678901234567890, "c":"\\u00e9"}';
    const created = await server.send(
      '/obj/create',
      `{"obj":{"project_id":"${project_id}","object_id":"cfg","val":${val}}}`,
    );
    expect({ status: created.status, body: created.json() }).toEqual({
      status: 200,
      body: { digest: expect.stringMatching(/^[A-Za-z0-9]{43}$/), object_id: 'cfg' },
    });

    const response = await server.send('/obj/read', {
      project_id,
      object_id: 'cfg',
      digest: created.json().digest,
    });
    expect(response.text).toContain(`"val":${val}`);
    expect(response.json().obj).toMatchObject({
      project_id,
      object_id: 'cfg',
      digest: created.json().digest,
      version_index: 0,
      is_latest: 1,
      kind: 'object',
      base_object_class: null,
      leaf_object_class: null,
      deleted_at: null,
      wb_user_id: 'ann',
      created_at: expect.stringMatching(/^\d{4}-.*\.\d{6}Z$/),
    });
  });

  it('have versions: the same content adds none, an old one becomes latest again, and deleting keeps the indexes', async () => {
    const project_id = aProject();
    const [a, b] = [
      await publish({ project_id }, { n: 'a' }),
      await publish({ project_id }, { n: 'b' }),
    ];
    await publish({ project_id }, { n: 'c' });
    await publish({ project_id }, { n: 'b' });
    expect(await versions(project_id)).toEqual([
      ['a', 0, 0],
      ['b', 1, 1],
      ['c', 2, 0],
    ]);

    expect(await remove(project_id, [b.digest])).toEqual({
      num_deleted: 1,
      deleted_versions: [{ digest: b.digest, base_object_class: null, leaf_object_class: null }],
    });
    expect(await versions(project_id)).toEqual([
      ['a', 0, 0],
      ['c', 2, 1],
    ]);
    const gone = await server.send('/obj/read', {
      project_id,
      object_id: 'cfg',
      digest: b.digest,
    });
    expect([gone.status, gone.json()]).toEqual([
      404,
      expect.objectContaining({ deleted_at: expect.stringMatching(/Z$/) }),
    ]);

    await publish({ project_id }, { n: 'd' });
    await publish({ project_id }, { n: 'b' });
    expect(await versions(project_id)).toEqual([
      ['a', 0, 0],
      ['b', 1, 1],
      ['c', 2, 0],
      ['d', 3, 0],
    ]);
    expect((await read(project_id, 'latest')).digest).toBe(b.digest);
    expect((await read(project_id, 'v0')).digest).toBe(a.digest);
    expect((await remove(project_id, null)).num_deleted).toBe(4);
    expect(await query(project_id)).toEqual([]);
  });

  it('are found by every key of the filter, sorted and in pages', async () => {
    const project_id = aProject();
    await publish({ project_id, object_id: 'ds' }, model('Dataset', []));
    await publish({ project_id, object_id: 'mine' }, model('MyModel', ['Model']));
    await publish({ project_id, object_id: 'acc' }, op('x'));
    await publish({ project_id, object_id: 'acc' }, { n: 1 });
    await publish({ project_id, object_id: 'acc' }, { n: 2 });
    const names = async (filter: object, more: object = {}) =>
      (await query(project_id, filter, more)).map((one) => one.object_id + one.kind[1]);

    expect(await names({})).toEqual(['dsb', 'mineb', 'accp', 'accb', 'accb']);
    expect(await names({ object_ids: ['acc'], latest_only: true })).toEqual(['accp', 'accb']);
    expect(await names({ is_op: true })).toEqual(['accp']);
    expect(await names({ is_op: false, latest_only: true })).toEqual(['dsb', 'mineb', 'accb']);
    expect(await names({ base_object_classes: ['Model', 'Dataset'] })).toEqual(['dsb', 'mineb']);
    expect(await names({ leaf_object_classes: ['MyModel'] })).toEqual(['mineb']);
    expect(await names({ exclude_base_object_classes: ['Model'], latest_only: true })).toEqual([
      'dsb',
      'accp',
      'accb',
    ]);
    const sort_by = [{ field: 'object_id', direction: 'desc' }];
    expect(await names({}, { sort_by, limit: 2, offset: 1 })).toEqual(['dsb', 'accp']);

    const [first] = await query(
      project_id,
      { leaf_object_classes: ['MyModel'] },
      { metadata_only: true, include_storage_size: true },
    );
    expect(first).toMatchObject({
      val: {},
      base_object_class: 'Model',
      leaf_object_class: 'MyModel',
      version_index: 0,
      is_latest: 1,
    });
    expect(first.size_bytes).toBe(JSON.stringify(model('MyModel', ['Model'])).length);
  });

  it('are listed with values of any size', async () => {
    const project_id = aProject();
    const texts = ['a', 'b', 'c'].map((text) => text.repeat(2_000_000));
    for (const text of texts) await publish({ project_id }, { text });
    const listed = async (limit?: number) =>
      (await query(project_id, {}, { limit })).map(({ val }) => val.text.length + val.text[0]);

    expect(await listed(2)).toEqual(['2000000a', '2000000b']);
    expect(await listed()).toEqual(['2000000a', '2000000b', '2000000c']);
  });

  it('have tags and aliases, which are removed with the version', async () => {
    const project_id = aProject();
    const { digest: a } = await publish({ project_id }, { n: 'a' });
    const { digest: b } = await publish({ project_id }, { n: 'b' });
    const put = (path: string, body: object) =>
      server.send(`/objs/cfg/${path}`, { project_id, ...body }, { method: 'PUT' });
    expect((await put(`versions/${a}/tags`, { tags: ['good one', 'x'] })).json()).toEqual({});
    await server.post(`/objs/cfg/versions/${a}/tags/remove`, { project_id, tags: ['x'] });
    await put('aliases', { digest: a, aliases: ['prod', 'old'] });
    await put('aliases', { digest: 'v1', aliases: ['prod'] });

    const named = { include_tags_and_aliases: true };
    expect(await read(project_id, a, named)).toMatchObject({
      tags: ['good one'],
      aliases: ['old'],
    });
    expect(await read(project_id, 'prod', named)).toMatchObject({
      digest: b,
      tags: [],
      aliases: ['latest', 'prod'],
    });
    expect((await query(project_id, { tags: ['good one'] })).map((o) => o.digest)).toEqual([a]);
    expect((await query(project_id, { aliases: ['latest'] })).map((o) => o.digest)).toEqual([b]);
    const list = async (what: string) =>
      (
        await server.send(`/${what}?project_id=${encodeURIComponent(project_id)}`, undefined, {
          method: 'GET',
        })
      ).json();
    expect([await list('tags'), await list('aliases')]).toEqual([
      { tags: ['good one'] },
      { aliases: ['latest', 'old', 'prod'] },
    ]);
    const nothing = [
      await put(`versions/${a}/tags`, { tags: [] }),
      await put('aliases', { digest: a, aliases: [] }),
      await server.send(`/objs/cfg/versions/${a}/tags/remove`, { project_id, tags: [] }),
      await server.send('/objs/cfg/aliases/remove', { project_id, aliases: [] }),
    ];
    expect(nothing.map(({ status, text }) => [status, text])).toEqual(Array(4).fill([200, '{}']));
    expect(await list('aliases')).toEqual({ aliases: ['latest', 'old', 'prod'] });

    await remove(project_id, ['prod']);
    await publish({ project_id }, { n: 'b' });
    expect(await read(project_id, b, named)).toMatchObject({ tags: [], aliases: ['latest'] });
    await server.post('/objs/cfg/aliases/remove', { project_id, aliases: ['old'] });
    expect(await list('aliases')).toEqual({ aliases: ['latest'] });
  });

  it('share names with ops: latest is the newest of both, v<N> prefers the object', async () => {
    const project_id = aProject();
    const object = await publish({ project_id }, { n: 1 });
    const anOp = await publish({ project_id }, op('y'));
    expect((await read(project_id, 'latest')).digest).toBe(anOp.digest);
    expect((await read(project_id, 'v0')).digest).toBe(object.digest);
    expect(await read(project_id, anOp.digest)).toMatchObject({ kind: 'op', version_index: 0 });
  });

  it('have one class per name and kind while a version exists', async () => {
    const project_id = aProject();
    await publish({ project_id }, model('MyModel', ['Model']));
    const other = { obj: { project_id, object_id: 'cfg', val: model('Dataset', []) } };
    const refused = await server.send('/obj/create', other);
    expect([refused.status, refused.json().reason]).toEqual([
      400,
      expect.stringMatching(/cfg.*Model.*Dataset/),
    ]);
    expect(await query(project_id)).toHaveLength(1);

    await remove(project_id, null);
    await server.post('/obj/create', other);
    expect(await read(project_id, 'latest')).toMatchObject({
      base_object_class: 'Dataset',
      version_index: 1,
    });
  });

  it('of a built-in class get the default values of its fields', async () => {
    const project_id = aProject();
    await publish(
      { project_id },
      { field_schema: { type: 'boolean' } },
      {
        builtin_object_class: 'AnnotationSpec',
      },
    );
    expect(await read(project_id, 'latest')).toMatchObject({
      base_object_class: 'AnnotationSpec',
      leaf_object_class: 'AnnotationSpec',
      val: { _type: 'AnnotationSpec', unique_among_creators: false, name: null },
    });
  });

  it('have digests that a client can compute in advance', async () => {
    const project_id = aProject();
    const [info] = await server.post('/service/projects_info', { project_ids: [project_id] });
    expect(info).toEqual({
      external_project_id: project_id,
      internal_project_id: Buffer.from(project_id).toString('base64url'),
    });
    const ref = (scheme: string, id: string) => ({ r: `${scheme}:///${id}/object/x:1` });
    const external = await publish({ project_id }, ref('weave', project_id));
    const internal = await publish(
      { project_id },
      ref('weave-trace-internal', info.internal_project_id),
    );
    expect(internal.digest).toBe(external.digest);
  });

  it.each([
    ['a bad name', { object_id: 'a/b', val: 1 }, 422, /object_id.*digits/],
    ['no name', { val: 1 }, 422, /object_id.*Field required/],
    ['no value', { object_id: 'x' }, 422, /val.*Field required/],
    [
      'another digest than expected',
      { object_id: 'x', val: 1, expected_digest: 'abc' },
      409,
      /abc/,
    ],
    ['an unknown class', { object_id: 'x', val: {}, builtin_object_class: 'Nope' }, 400, /Nope/],
    [
      'a class for a number',
      { object_id: 'x', val: 1, builtin_object_class: 'Provider' },
      400,
      /val/,
    ],
    [
      'two classes',
      { object_id: 'x', val: { _class_name: 'A' }, builtin_object_class: 'Provider' },
      400,
      /A/,
    ],
  ])('are refused with a reason: %s', async (_, obj, status, says) => {
    const response = await server.send('/obj/create', { obj: { project_id: aProject(), ...obj } });
    expect([response.status, response.text]).toEqual([status, expect.stringMatching(says)]);
  });

  it.each([
    ['/obj/read', { object_id: 'cfg', digest: 'v7' }, 404, /cfg:v7/],
    ['/obj/read', { object_id: 'cfg', digest: '' }, 404, /cfg:/],
    ['/obj/delete', { object_id: 'cfg' }, 404, /cfg/],
    ['/obj/delete', { object_id: 'cfg', digests: Array(101).fill('v0') }, 400, /101/],
    ['/objs/query', { limit: -1 }, 400, /limit/],
    ['/objs/query', { sort_by: [{ field: 'val', direction: 'asc' }] }, 422, /created_at/],
    ['/objs/query', { sort_by: [{ field: 'object_id' }] }, 422, /direction/],
  ])('are refused by %s when a request is invalid: %#', async (path, body, status, says) => {
    const response = await server.send(path, { project_id: aProject(), ...body });
    expect([response.status, response.text]).toEqual([status, expect.stringMatching(says)]);
  });

  it('are not deleted when one of the requested versions does not exist', async () => {
    const project_id = aProject();
    const { digest } = await publish({ project_id }, { n: 1 });
    const body = { project_id, object_id: 'cfg', digests: [digest, 'v9'] };
    expect((await server.send('/obj/delete', body)).status).toBe(404);
    expect(await query(project_id)).toHaveLength(1);
  });
});
