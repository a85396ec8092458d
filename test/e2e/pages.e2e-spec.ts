import { aProject, sharedServer } from '../support/test-server.js';
import { aStart, anEnd } from '../support/records.js';

const server = sharedServer();
const EVIL = `<script>alert("x")</script><img src=x onerror='y'>`;

const page = (path: string, key: string | null = server.key) =>
  server.send(path, undefined, { method: 'GET', key, headers: { accept: 'text/html' } });

async function aCall(project_id: string, fields: Record<string, unknown> = {}) {
  const start = aStart({ project_id, ...fields });
  await server.post('/call/start', { start });
  await server.post('/call/end', {
    end: anEnd({ project_id, id: start.id, output: { said: EVIL } }),
  });
  return start;
}

describe('the pages that the SDKs link to', () => {
  it('show the traces and objects of a project, newest first, and how many calls it has', async () => {
    const project = aProject();
    const first = await aCall(project, { op_name: 'first', started_at: '2026-03-01T10:00:00Z' });
    const second = await aCall(project, { op_name: 'second', started_at: '2026-03-02T10:00:00Z' });
    await aCall(project, { op_name: 'inner', parent_id: second.id, trace_id: second.trace_id });
    const { digest } = await server.post('/obj/create', {
      obj: { project_id: project, object_id: 'config', val: { a: 1 } },
    });

    const { status, text, headers } = await page(`/${project}/weave`);

    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(text).toContain('3 calls');
    expect(text.indexOf(second.id)).toBeLessThan(text.indexOf(first.id));
    expect(text).toContain(`href="/${project}/r/call/${first.id}"`);
    expect(text).not.toContain('>inner<');
    expect(text).toContain(`/weave/objects/config/versions/${digest}`);
  });

  it('show a call with all its fields, its parent and its children', async () => {
    const project = aProject();
    const parent = await aCall(project, { op_name: 'parent', inputs: { text: 'why' } });
    const child = await aCall(project, {
      op_name: 'child',
      parent_id: parent.id,
      trace_id: parent.trace_id,
    });

    const above = (await page(`/${project}/r/call/${parent.id}`)).text;
    const below = (await page(`/${project}/r/call/${child.id}`)).text;

    expect(above).toContain('&quot;text&quot;: &quot;why&quot;');
    expect(above).toContain(`href="/${project}/r/call/${child.id}"`);
    expect(below).toContain(`href="/${project}/r/call/${parent.id}"`);
    expect(above).toContain('success');
  });

  it('show a version of an object, and digits as they were sent', async () => {
    const project = aProject();
    const body = `{"obj":{"project_id":"${project}","object_id":"exact","val":{"n":123456789012345678901}}}`;
    const { digest } = (await server.send('/obj/create', body)).json();

    const { status, text } = await page(`/${project}/weave/objects/exact/versions/${digest}`);

    expect([status, text]).toEqual([200, expect.stringContaining('123456789012345678901')]);
    expect(text).toContain(`weave:///${project}/object/exact:${digest}`);
  });

  it('escape everything in a call and allow no script', async () => {
    const project = aProject();
    const { id } = await aCall(project, {
      op_name: EVIL,
      display_name: EVIL,
      inputs: { [EVIL]: EVIL },
      attributes: { [EVIL]: 1 },
      thread_id: EVIL,
    });

    for (const path of [`/${project}/r/call/${id}`, `/${project}/weave`]) {
      const { text, headers } = await page(path);
      expect(text).toContain('&lt;script&gt;');
      expect(text).not.toMatch(/<script|<img|onerror='/);
      expect(headers.get('content-security-policy')).toMatch(
        /^default-src 'none'; style-src 'sha256-/,
      );
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('cache-control')).toBe('no-store');
    }
  });

  it('require a key, and show nothing without one', async () => {
    const project = aProject();
    const { id } = await aCall(project, { op_name: 'secret-op' });

    for (const path of [`/${project}/weave`, `/${project}/r/call/${id}`]) {
      for (const key of [null, 'wrong']) {
        const { status, headers, text } = await page(path, key);
        expect(status).toBe(401);
        expect(headers.get('www-authenticate')).toMatch(/^Basic /);
        expect(text).not.toContain('secret-op');
      }
    }
  });

  it('do not show a call of one project at the address of another, or to a key that may not read', async () => {
    const [mine, other] = [aProject(), aProject()];
    const { id } = await aCall(other, { op_name: 'secret-op' });
    const { key } = await server.post('/admin/keys/create', {
      user: 'eve',
      scope: mine,
      role: 'read',
    });
    const { key: blind } = await server.post('/admin/keys/create', {
      user: 'bob',
      scope: other,
      role: 'ingest',
    });

    expect((await page(`/${mine}/r/call/${id}`)).status).toBe(404);
    expect((await page(`/${other}/r/call/${id}`, key)).status).toBe(403);
    expect((await page(`/${other}/r/call/${id}`, blind)).status).toBe(403);
    expect((await page(`/${other}/r/call/${id}`)).status).toBe(200);
  });

  it('show the calls of a conversation, and of no other', async () => {
    const project = aProject();
    const mine = await aCall(project, { op_name: 'turn', thread_id: 'a thread/1' });
    const other = await aCall(project, { op_name: 'other', thread_id: 'thread-2' });

    const { status, text } = await page(
      `/${project}/weave/agents/conversations/${encodeURIComponent('a thread/1')}`,
    );

    expect(status).toBe(200);
    expect(text).toContain(mine.id);
    expect(text).not.toContain(other.id);
  });

  it('say in HTML that there are no calls or no such call', async () => {
    const project = aProject();

    const empty = await page(`/${project}/weave`);
    const missing = await page(`/${project}/r/call/unknown`);

    expect([empty.status, empty.text]).toEqual([200, expect.stringContaining('No calls yet')]);
    expect([missing.status, missing.text]).toEqual([404, expect.stringContaining('no such call')]);
    expect((await page(`/${project}/weave/objects/none/versions/latest`)).status).toBe(404);
  });

  it('have further pages when there are many traces', async () => {
    const project = aProject();
    const batch = Array.from({ length: 60 }, (_, n) => ({
      mode: 'start',
      req: { start: aStart({ project_id: project, op_name: `op-${n}` }) },
    }));
    await server.post('/call/upsert_batch', { batch });

    const first = (await page(`/${project}/weave`)).text;
    const second = (await page(`/${project}/weave?offset=50`)).text;

    expect(first.match(/r\/call\//g)).toHaveLength(50);
    expect(first).toContain('?offset=50');
    expect(second.match(/r\/call\//g)).toHaveLength(10);
    expect(second).not.toContain('rel="next"');
  });
});
