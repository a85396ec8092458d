import { aProject, sharedServer } from '../support/test-server.js';

const server = sharedServer();

const apply = (project_id: string, body: object, name = 'support-agent') =>
  server.send(
    `/v2/${project_id}/runtimes/${encodeURIComponent(name)}`,
    { base_url: 'https://models.example.com/v1', runtime_ids: [], ...body },
    { method: 'PUT' },
  );
const read = (project_id: string, object_id: string) =>
  server.send('/obj/read', { project_id, object_id, digest: 'latest' });
const publish = (
  project_id: string,
  object_id: string,
  builtin_object_class: string,
  val: object,
) => server.post('/obj/create', { obj: { project_id, object_id, builtin_object_class, val } });

describe('runtimes', () => {
  it('are stored as a provider and its models, which a new list replaces', async () => {
    const project_id = aProject();
    const first = await apply(project_id, {
      ...{ api_key_secret: 'AGENT_KEY', headers: { 'X-Tenant': 'one' } },
      runtime_ids: [{ id: 'old' }, { id: 'kept', max_tokens: 8192 }],
    });
    expect({ status: first.status, ...first.json() }).toEqual({
      ...{ status: 200, name: 'support-agent', base_url: 'https://models.example.com/v1' },
      ...{ api_key_secret: 'AGENT_KEY', headers: { 'X-Tenant': 'one' } },
      runtime_ids: [
        { id: 'old', max_tokens: 4096, playground_id: 'custom::support-agent::old' },
        { id: 'kept', max_tokens: 8192, playground_id: 'custom::support-agent::kept' },
      ],
    });
    const provider = (await read(project_id, 'support-agent')).json().obj;
    expect(provider).toMatchObject({
      base_object_class: 'Provider',
      val: {
        ...{ name: 'support-agent', base_url: 'https://models.example.com/v1' },
        ...{
          api_key_name: 'AGENT_KEY',
          extra_headers: { 'X-Tenant': 'one' },
          return_type: 'openai',
        },
      },
    });
    expect((await read(project_id, 'support-agent-kept')).json().obj).toMatchObject({
      base_object_class: 'ProviderModel',
      val: { name: 'kept', max_tokens: 8192, provider: provider.digest },
    });

    const base_url = 'https://models.example.com/v2';
    const next = { base_url, runtime_ids: [{ id: 'kept' }, { id: ' new ' }] };
    expect((await apply(project_id, next)).json()).toMatchObject({
      api_key_secret: null,
      base_url,
    });
    expect((await apply(project_id, next)).status).toBe(200);
    expect((await read(project_id, 'support-agent-old')).status).toBe(404);
    const digest = (await read(project_id, 'support-agent')).json().obj.digest;
    expect((await read(project_id, 'support-agent-new')).json().obj.val).toMatchObject({
      ...{ name: 'new', max_tokens: 4096, provider: digest },
    });
    const { objs } = await server.post('/objs/query', { project_id, metadata_only: true });
    expect(objs.map((one: any) => `${one.object_id}:v${one.version_index}`).sort()).toEqual([
      'support-agent-kept:v0',
      'support-agent-kept:v1',
      'support-agent-new:v0',
      'support-agent:v0',
      'support-agent:v1',
    ]);
  });

  it('do not take over objects of others, and change nothing when they are refused', async () => {
    const project_id = aProject();
    await publish(project_id, 'my_agent', 'Provider', { name: 'my/agent', base_url: 'x' });
    const { digest } = await publish(project_id, 'other', 'Provider', { name: 'other' });
    await publish(project_id, 'support-agent-m', 'ProviderModel', { name: 'm', provider: digest });
    const refusals = [
      await apply(project_id, {}, 'my:agent'),
      await apply(project_id, { runtime_ids: [{ id: 'm' }] }),
      await apply(project_id, { runtime_ids: [{ id: 'a/b' }, { id: 'a:b' }] }),
      await apply(project_id, { runtime_ids: [{ id: 'a' }, { id: ' a' }] }),
      await apply(project_id, { runtime_ids: [{ id: 'i'.repeat(120) }] }),
      await apply(project_id, {}, 'two words'),
      await apply(project_id, {}, 'a::b'),
    ];
    expect(refusals.map(({ status }) => status)).toEqual(Array(7).fill(400));
    expect((await apply(project_id, { runtime_ids: [{ id: 'a b' }] })).status).toBe(422);
    expect((await apply(project_id, { base_url: '' })).status).toBe(422);
    expect((await read(project_id, 'support-agent')).status).toBe(404);
    const model = (await read(project_id, 'support-agent-m')).json().obj;
    expect(model.val.provider).toBe(digest);
  });
});
