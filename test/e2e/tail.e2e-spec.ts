import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '../support/processes.js';
import { anEnd, aStart } from '../support/records.js';
import { SplitServer, type Part } from '../support/split-server.js';
import { aProject, type TestServer } from '../support/test-server.js';

let split: SplitServer;
let ingest: TestServer;
let query: Part;

beforeAll(async () => {
  split = await SplitServer.start();
  const parts = await Promise.all([
    split.part('ingest'),
    split.part('query'),
    split.part('worker'),
  ]);
  [ingest, query] = [parts[0].server, parts[1]];
});
afterAll(() => split.stop());

interface TailEvent {
  readonly name: string;
  readonly id: string | undefined;
  readonly data: {
    calls?: { id: string; ended_at: string | null }[];
    deleted?: string[];
    reason?: string;
  };
}

/** A client that collects the events of a tail until it is stopped. */
class TailClient {
  readonly events: TailEvent[] = [];
  hasEnded = false;
  private readonly abort = new AbortController();

  static async open(
    server: TestServer,
    body: object,
    { key = server.key, headers = {} }: { key?: string; headers?: Record<string, string> } = {},
  ): Promise<TailClient> {
    const client = new TailClient();
    const response = await fetch(`${server.url}/calls/tail`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, ...headers },
      body: JSON.stringify(body),
      signal: client.abort.signal,
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
    expect(response.headers.get('content-encoding')).toBeNull();
    void client.read(response).catch(() => undefined);
    await eventually(() => client.events[0]?.name === 'open', 5000);
    return client;
  }

  private async read(response: Response): Promise<void> {
    let text = '';
    for await (const bytes of response.body!) {
      text += Buffer.from(bytes as Uint8Array).toString();
      const blocks = text.split('\n\n');
      text = blocks.pop()!;
      this.events.push(...blocks.filter((block) => !block.startsWith(':')).map(parsed));
    }
    this.hasEnded = true;
  }

  get last(): string {
    return this.events.findLast(({ id }) => id !== undefined)!.id!;
  }

  get calls() {
    return this.events.flatMap(({ data }) => data.calls ?? []);
  }

  stop(): void {
    this.abort.abort();
  }
}

function parsed(block: string): TailEvent {
  const field = (name: string) =>
    block
      .split('\n')
      .find((line) => line.startsWith(`${name}: `))
      ?.slice(name.length + 2);
  return { name: field('event')!, id: field('id'), data: JSON.parse(field('data')!) };
}

async function write(project_id: string, fields: object = {}): Promise<string> {
  const start = aStart({
    project_id,
    id: randomUUID(),
    started_at: new Date().toISOString(),
    ...fields,
  });
  await ingest.post('/call/start', { start });
  return start.id;
}

const idsOf = (client: TailClient) => client.calls.map(({ id }) => id);

describe('a tail of calls', () => {
  it('sends a call when it starts, when it ends and when it is deleted', async () => {
    const project_id = aProject();
    const tail = await TailClient.open(query.server, { project_id });

    const id = await write(project_id);
    await eventually(() => tail.calls.length === 1, 5000);
    await ingest.post('/call/end', { end: anEnd({ project_id, id }) });
    await eventually(() => tail.calls.length === 2, 5000);
    await ingest.post('/calls/delete', { project_id, call_ids: [id] });
    await eventually(() => tail.events.some(({ data }) => data.deleted?.includes(id)), 5000);

    expect(tail.calls.map((call) => [call.id, call.ended_at === null])).toEqual([
      [id, true],
      [id, false],
    ]);
    tail.stop();
  });

  it('sends only what matches, with the requested columns, to every client with the same filter', async () => {
    const [project_id, other] = [aProject(), aProject()];
    const body = {
      project_id,
      filter: { op_names: ['wanted'] },
      query: { $expr: { $eq: [{ $getField: 'inputs.a' }, { $literal: 1 }] } },
      columns: ['op_name'],
    };
    const tails = [
      await TailClient.open(query.server, body),
      await TailClient.open(query.server, body),
    ];

    await write(project_id, { op_name: 'other', inputs: { a: 1 } });
    await write(project_id, { op_name: 'wanted', inputs: { a: 2 } });
    await write(other, { op_name: 'wanted', inputs: { a: 1 } });
    const id = await write(project_id, { op_name: 'wanted', inputs: { a: 1 } });

    for (const tail of tails) {
      await eventually(() => tail.calls.length > 0, 5000);
      expect(tail.calls).toEqual([expect.objectContaining({ id, op_name: 'wanted', inputs: {} })]);
      tail.stop();
    }
  });

  it('continues after an interruption: every call once, also when query was restarted', async () => {
    const project_id = aProject();
    const own = await split.part('query');
    const first = await TailClient.open(own.server, { project_id });
    const before = await write(project_id);
    await eventually(() => idsOf(first).includes(before), 5000);

    await own.program.stop();
    await eventually(() => first.hasEnded, 10_000);
    const missed = [await write(project_id), await write(project_id)];
    const headers = { 'last-event-id': first.last };
    const second = await TailClient.open(query.server, { project_id }, { headers });
    const after = await write(project_id);

    await eventually(() => idsOf(second).includes(after), 5000);
    expect(first.events.at(-1)).toMatchObject({ name: 'end', data: { reason: 'shutdown' } });
    expect(idsOf(second).sort()).toEqual([...missed, after].sort());
    second.stop();
  });

  it('says that there is a gap when it continues from a time that is not recorded', async () => {
    const project_id = aProject();

    const tail = await TailClient.open(query.server, { project_id, since: '1700000000000-0' });

    await eventually(() => tail.events.some(({ name }) => name === 'gap'), 5000);
    tail.stop();
  });

  it('ends within five seconds after its key was revoked', async () => {
    const project_id = aProject();
    const request = { user: 'bob', scope: project_id, role: 'read' };
    const { id, key } = await ingest.post('/admin/keys/create', request);
    const tail = await TailClient.open(query.server, { project_id }, { key });

    await ingest.post('/admin/keys/revoke', { id });

    await eventually(() => tail.hasEnded, 6500);
    expect(tail.events.at(-1)).toMatchObject({ name: 'end', data: { reason: 'session_ended' } });
  });

  it('is limited in number per key', async () => {
    const project_id = aProject();
    const request = { user: 'bob', scope: project_id, role: 'read' };
    const { key } = await ingest.post('/admin/keys/create', request);
    const tails = [];
    for (let i = 0; i < 16; i++)
      tails.push(await TailClient.open(query.server, { project_id }, { key }));

    const refused = await query.server.send('/calls/tail', { project_id }, { key });

    expect(refused.status).toBe(429);
    expect(refused.json()).toMatchObject({ error_code: 'rate_limited' });
    for (const tail of tails) tail.stop();
    await eventually(async () => {
      const again = await TailClient.open(query.server, { project_id }, { key }).catch(
        () => undefined,
      );
      again?.stop();
      return again !== undefined;
    }, 20_000);
  });

  it('has every call of a burst once', async () => {
    const project_id = aProject();
    const tail = await TailClient.open(query.server, { project_id, columns: ['id'] });
    const written: string[] = [];
    for (let i = 0; i < 60; i++) {
      written.push(await write(project_id));
      await pause(5);
    }
    await eventually(() => tail.calls.length >= written.length, 20_000);

    expect(idsOf(tail).sort()).toEqual([...written].sort());
    tail.stop();
  });
});
