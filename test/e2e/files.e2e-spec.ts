import { createHash, randomBytes } from 'node:crypto';
import { aProject, sharedServer } from '../support/test-server.js';

const server = sharedServer();
const authorization = `Basic ${btoa(`api:${server.key}`)}`;
const MiB = 1024 * 1024;

type Parts = readonly (readonly [name: string, value: string | Buffer])[];

async function upload(parts: Parts, path = '/file/create') {
  const form = new FormData();
  for (const [name, value] of parts) {
    if (typeof value === 'string') form.append(name, value);
    else form.append(name, new Blob([new Uint8Array(value)]), 'blob');
  }
  const response = await fetch(server.url + path, {
    method: 'POST',
    headers: { authorization },
    body: form,
  });
  return { status: response.status, body: (await response.json()) as any };
}

async function content(body: object, headers: Record<string, string> = {}, path = '/file/content') {
  const response = await fetch(server.url + path, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  return { status: response.status, headers: response.headers, bytes };
}

const digestOf = (bytes: Buffer) =>
  createHash('sha256').update(bytes).digest('base64url').replaceAll('-', 'X').replaceAll('_', 'Y');

describe('files, end to end', () => {
  it('are returned byte for byte, whatever the order of the parts and under both paths', async () => {
    const project_id = aProject();
    const bytes = Buffer.from([0, 255, 10, 13, 10, 10, 45, 45, 0]);
    const digest = digestOf(bytes);
    const file = ['file', bytes] as const;
    const project = ['project_id', project_id] as const;
    const expected = ['expected_digest', digest] as const;

    expect(await upload([project, file, expected])).toEqual({ status: 200, body: { digest } });
    expect(await upload([file, expected, project], '/files/create')).toEqual({
      status: 200,
      body: { digest },
    });
    const response = await content({ project_id, digest });
    expect(response.bytes.equals(bytes)).toBe(true);
    expect(response.headers.get('content-type')).toBe('application/octet-stream');
    expect((await content({ project_id, digest }, {}, '/files/content')).bytes).toEqual(bytes);
    for (const path of ['/files/query_stats', '/files/stats']) {
      expect(await server.post(path, { project_id })).toEqual({ total_size_bytes: bytes.length });
    }
  });

  it('may be empty', async () => {
    const project_id = aProject();
    const parts = [
      ['project_id', project_id],
      ['file', Buffer.alloc(0)],
    ] as const;
    const { digest } = (await upload(parts)).body;
    expect(digest).toBe('47DEQpj8HBSaXYTImWX5JCeuQeRkm5NMpJWZG3hSuFU');
    expect(await content({ project_id, digest })).toMatchObject({
      status: 200,
      bytes: Buffer.alloc(0),
    });
  });

  it('are stored in pieces and can be read in ranges', async () => {
    const project_id = aProject();
    const bytes = randomBytes(3 * MiB + 17);
    const digest = digestOf(bytes);
    await upload([
      ['file', bytes],
      ['project_id', project_id],
    ]);
    expect((await content({ project_id, digest })).bytes.equals(bytes)).toBe(true);

    const range = `bytes=${MiB - 5}-${2 * MiB + 4}`;
    const part = await content({ project_id, digest }, { range });
    expect(part.status).toBe(206);
    expect(part.headers.get('content-range')).toBe(
      `bytes ${MiB - 5}-${2 * MiB + 4}/${bytes.length}`,
    );
    expect(part.bytes.equals(bytes.subarray(MiB - 5, 2 * MiB + 5))).toBe(true);
    expect((await content({ project_id, digest }, { range: 'bytes=-3' })).bytes).toEqual(
      bytes.subarray(-3),
    );
    expect((await content({ project_id, digest }, { range: 'bytes=9999999-' })).status).toBe(416);
  });

  it('may be larger than any other body', async () => {
    const project_id = aProject();
    const bytes = Buffer.alloc(33 * MiB + 1, 'heddle');
    const digest = digestOf(bytes);
    const parts = [
      ['file', bytes],
      ['project_id', project_id],
      ['expected_digest', digest],
    ] as const;
    expect(await upload(parts)).toEqual({ status: 200, body: { digest } });
    const response = await content({ project_id, digest });
    expect([response.status, digestOf(response.bytes)]).toEqual([200, digest]);
    expect(await server.post('/files/query_stats', { project_id })).toEqual({
      total_size_bytes: bytes.length,
    });
  });

  it('are refused when the form is malformed or has other parts', async () => {
    const project_id = aProject();
    const form = (body: string, type = 'multipart/form-data; boundary=b') =>
      server.send('/file/create', body, { headers: { 'content-type': type } });
    const part = (head: string, value: string) =>
      `--b\r\ncontent-disposition: form-data; ${head}\r\n\r\n${value}\r\n`;
    const project = part('name="project_id"', project_id);
    const file = part('name="file"; filename="x"', 'abc');

    const whole = await form(`${file}${project}--b--\r\n`);
    expect(whole.status).toBe(200);
    const refused = [
      [await form(project + file), 400, /form/],
      [await form(`${project}--b\r\ncontent-disp`), 400, /form/],
      [await form('', 'multipart/form-data'), 400, /[Bb]oundary|form/],
      [await form(`${project}${file}${file}--b--\r\n`), 400, /form/],
      [
        await form(`${project}${part('name="data"; filename="x"', 'abc')}--b--\r\n`),
        400,
        /a file in .*data/,
      ],
      [await form(`${project}${part('name="file"', 'abc')}--b--\r\n`), 422, /file/],
      [await form(`${file}--b--\r\n`), 422, /project_id/],
      [await form('--b--\r\n'), 422, /project_id/],
    ] as const;
    expect(refused.map(([{ status, text }]) => [status, text])).toEqual(
      refused.map(([, status, says]) => [status, expect.stringMatching(says)]),
    );
    expect(await server.post('/files/query_stats', { project_id })).toEqual({
      total_size_bytes: 3,
    });
  });

  it('are refused with a reason', async () => {
    const project = ['project_id', aProject()] as const;
    const file = ['file', Buffer.from('x')] as const;
    expect(await upload([project, file, ['expected_digest', 'nope']])).toMatchObject({
      status: 409,
      body: { reason: expect.stringMatching(/nope/) },
    });
    expect(await upload([project])).toMatchObject({ status: 422 });
    expect(await upload([['project_id', 'x'], file])).toMatchObject({ status: 422 });
    const notAForm = await server.send('/file/create', { project_id: 'a/b' });
    expect([notAForm.status, notAForm.text]).toEqual([400, expect.stringMatching(/multipart/)]);
    const unknown = await content({ project_id: project[1], digest: 'x' });
    expect([unknown.status, unknown.bytes.toString()]).toEqual([
      404,
      expect.stringMatching(/file x/),
    ]);
  });
});
