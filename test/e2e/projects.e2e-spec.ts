import { randomUUID } from 'node:crypto';
import { sharedServer, type TestResponse } from '../support/test-server.js';
import { aStart, anEnd } from '../support/records.js';

const server = sharedServer();
const anEntity = () => `e-${randomUUID().slice(0, 8)}`;
const HOUR = 3_600_000;
const ago = (ms: number) => new Date(Date.now() - ms).toISOString();

const usage = (model: string) => ({
  usage: { [model]: { requests: 1, prompt_tokens: 1000, completion_tokens: 10 } },
});

async function aCall(
  project_id: string,
  { age = 0, exception = null as string | null, summary = {} },
) {
  const start = aStart({ project_id, started_at: ago(age) });
  await server.post('/call/start', { start });
  await server.post('/call/end', {
    end: anEnd({ project_id, id: start.id, ended_at: ago(age), exception, summary }),
  });
  // Reads its own write, so that the list has it.
  await server.post('/call/read', { project_id, id: start.id });
  return start;
}

async function keyFor(scope: string, role = 'read'): Promise<string> {
  return (await server.post('/admin/keys/create', { user: 'bob', scope, role })).key;
}

const list = (key: string, body: object = {}): Promise<TestResponse> =>
  server.send('/projects/query', body, { key });
const idsOf = (response: TestResponse) =>
  response.json().projects.map((one: { project_id: string }) => one.project_id);

describe('the list of projects', () => {
  it('has the calls, errors and cost of the last 24 hours, and the last call', async () => {
    const entity = anEntity();
    const [busy, idle] = [`${entity}/busy`, `${entity}/idle`];
    const model = `m-${entity}`;
    const costs = { [model]: { prompt_token_cost: 0.001, completion_token_cost: 0.1 } };
    await server.post('/cost/create', { project_id: busy, costs });
    await aCall(busy, { age: 2 * HOUR, summary: usage(model) });
    const last = await aCall(busy, { age: HOUR, exception: 'no', summary: usage(model) });
    await aCall(busy, { age: 30 * HOUR, summary: usage(model) });
    const old = await aCall(idle, { age: 50 * HOUR, summary: usage(model) });

    const { projects, next } = (await list(await keyFor(entity))).json();

    expect(next).toBeNull();
    expect(projects).toEqual([
      {
        project_id: busy,
        calls: 2,
        errors: 1,
        last_call_at: new Date(last.started_at).toISOString().replace('Z', '000Z'),
        cost: 4,
      },
      {
        project_id: idle,
        calls: 0,
        errors: 0,
        last_call_at: new Date(old.started_at).toISOString().replace('Z', '000Z'),
        cost: null,
      },
    ]);
  });

  it('uses the price in force when each call started, and of the project itself', async () => {
    const entity = anEntity();
    const [one, two] = [`${entity}/one`, `${entity}/two`];
    const model = `m-${entity}`;
    const price = (project_id: string, cost: number, age: number) =>
      server.post('/cost/create', {
        project_id,
        costs: {
          [model]: {
            prompt_token_cost: cost,
            completion_token_cost: 0,
            effective_date: ago(age),
          },
        },
      });
    await price(one, 1, 100 * HOUR);
    await price(one, 3, 2 * HOUR);
    await price(two, 7, 100 * HOUR);
    for (const project of [one, two]) {
      await aCall(project, { age: 3 * HOUR, summary: usage(model) });
      await aCall(project, { age: HOUR, summary: usage(model) });
    }

    const { projects } = (await list(await keyFor(entity))).json();

    expect(projects.map(({ cost }: { cost: number }) => cost)).toEqual([4000, 14_000]);
  });

  it('comes in pages, in the order of ids, and can be searched', async () => {
    const entity = anEntity();
    const projects = ['a', 'b', 'c-Special'].map((name) => `${entity}/${name}`);
    for (const project of projects) await aCall(project, {});
    const key = await keyFor(entity);

    const first = await list(key, { limit: 2 });
    const second = await list(key, { limit: 2, after: first.json().next });

    expect([idsOf(first), first.json().next]).toEqual([projects.slice(0, 2), projects[1]]);
    expect([idsOf(second), second.json().next]).toEqual([projects.slice(2), null]);
    expect(idsOf(await list(key, { search: 'C-SPEC' }))).toEqual(projects.slice(2));
    expect((await list(key, { search: '%' })).json()).toEqual({ projects: [], next: null });
  });

  it('has a project with objects only', async () => {
    const entity = anEntity();
    const obj = { project_id: `${entity}/objects`, object_id: 'o', val: { a: 1 } };
    await server.post('/obj/create', { obj });

    const { projects } = (await list(await keyFor(entity))).json();

    expect(projects).toEqual([
      { project_id: `${entity}/objects`, calls: 0, errors: 0, last_call_at: null, cost: null },
    ]);
  });

  it('ends at the scope of the key, and is refused to a key that may not read', async () => {
    const entity = anEntity();
    const [mine, other, similar] = [`${entity}/mine`, `${entity}/other`, `${entity}x/mine`];
    for (const project of [mine, other, similar]) await aCall(project, {});

    expect(idsOf(await list(await keyFor(mine)))).toEqual([mine]);
    expect(idsOf(await list(await keyFor(entity)))).toEqual([mine, other]);
    expect(idsOf(await list(server.key, { search: entity }))).toEqual([mine, other, similar]);
    expect((await list(await keyFor(entity, 'ingest'))).status).toBe(403);
  });
});
