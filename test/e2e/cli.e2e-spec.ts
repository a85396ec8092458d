import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bind, sql } from '@app/clickhouse';
import { factId, type RejectedFact } from '@app/events';
import { CallLog } from '../../apps/worker/src/calls/call-log.writer.js';
import { DeadLetters } from '../../apps/worker/src/pipeline/dead-letters.writer.js';
import { aFact } from '../support/facts.js';
import { aProject } from '../support/test-server.js';
import { eventually, temporaryDirectory } from '../support/processes.js';
import { endItem, startItem } from '../support/records.js';
import type { CliResult } from '../support/cli-runner.js';
import { SplitServer, type Part } from '../support/split-server.js';

let split: SplitServer;
let ingest: Part;
let query: Part;
let directory: string;

beforeAll(async () => {
  split = await SplitServer.start();
  [ingest, query] = await Promise.all([
    split.part('ingest'),
    split.part('query', { READ_WAIT_MS: '20000' }),
    split.part('worker'),
  ]);
  directory = temporaryDirectory();
});
afterAll(() => split.stop());

const read = async (project_id: string, id: string) =>
  (await query.server.post('/call/read', { project_id, id })).call;

/** Tables that a rebuild should have dropped. */
const rebuildTables = () =>
  split.store.rows(
    sql`SELECT name FROM system.tables WHERE database = currentDatabase() AND name LIKE '%rebuild%'`,
  );

/** The output of a command that must succeed. */
async function done(...args: string[]): Promise<string> {
  const result = await split.cli(...args);
  if (result.code !== 0) throw new Error(`${args.join(' ')}: ${result.stderr}`);
  return result.stdout;
}

/** Resolves when every equation of the ledger holds: a worker may just be settling what can be read already. */
async function balanced(project_id: string): Promise<void> {
  let printed = '';
  await eventually(
    async () => {
      printed = (await split.cli('ledger', '--project', project_id)).stdout;
      return /^total .* ok ok ok ok ok$/m.test(printed);
    },
    20_000,
    () => printed,
  );
}

/** The detail of the newest audit entry of this action, once a worker has stored it. */
async function recorded(action: string): Promise<object> {
  const last = sql`SELECT user_id, detail FROM audit WHERE action = ${bind('String', action)} ORDER BY at DESC LIMIT 1`;
  const [entry] = await eventually(async () => {
    const rows = await split.store.rows<{ user_id: string; detail: string }>(last);
    return rows.length > 0 && rows;
  }, 15_000);
  expect(entry!.user_id).toMatch(/^cli:/);
  return JSON.parse(entry!.detail) as object;
}

/** Sends a complete call and an invalid start, and waits until both are stored. */
async function send(project_id: string): Promise<{ good: string; bad: string }> {
  const [good, bad] = [randomUUID(), randomUUID()];
  const batch = [
    startItem({ project_id, id: good }),
    endItem({ project_id, id: good, output: 'kept' }),
    startItem({ project_id, id: bad, started_at: 'yesterday' }),
  ];
  await ingest.server.post('/call/upsert_batch', { batch });
  expect(await read(project_id, good)).toMatchObject({ output: 'kept' });
  return { good, bad };
}

function file(content: unknown): string {
  const path = join(directory, `${randomUUID()}.json`);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

describe('cli alerts', () => {
  it('creates a rule, shows its secret once, and deletes it', async () => {
    const project = aProject();
    const url = 'https://8.8.8.8/hook?token=hidden';
    const what = ['--name', 'Budget', '--kind', 'cost', '--threshold', '0.5', '--webhook', url];
    const created = await done('alerts', 'create', project, ...what, '--json');
    const { id, secret } = JSON.parse(created) as { id: string; secret: string };
    const listed = await done('alerts', 'list', project);

    expect(secret).toMatch(/^whsec_/);
    expect(listed).toContain('Budget  cost  > 0.5');
    expect(created + listed).not.toContain('hidden');
    expect(listed).not.toContain(secret);
    expect(await done('alerts', 'delete', project, id)).toBe('Deleted Budget.\n');
    const refused = await split.cli(
      'alerts',
      'create',
      project,
      ...what.slice(0, 7),
      'https://10.0.0.1/',
    );
    expect(refused.stderr).toContain('private or reserved address');
    expect(refused.code).toBe(1);
  });
});

describe('cli ledger', () => {
  it('accounts for every fact, and detects a missing one', async () => {
    const project_id = aProject();
    const { good } = await send(project_id);

    const { total, projects } = JSON.parse(await done('ledger', '--json', '--project', project_id));
    expect(projects).toEqual([{ project: project_id, ...total }]);
    expect(total).toEqual({
      received: 3,
      settled: 3,
      pending: 0,
      moved: 0,
      receipts: 3,
      missingFacts: 0,
      staleCalls: 0,
      callsWithOtherUsage: 0,
      holds: [true, true, true, true, true],
    });
    expect(await done('ledger')).toMatch(
      new RegExp(`^${project_id} .* ok ok ok ok\n[^]*^total .* ok ok ok ok$`, 'm'),
    );

    await split.damage('call_events', `call_id = '${good}' AND kind = 'end'`);
    const { code, stdout } = await split.cli('ledger', '--project', project_id);
    expect(code).toBe(1);
    expect(stdout).toMatch(
      new RegExp(`^${project_id} .* 1 .* ok okNO!NO! ok\ntotal .* ok okNO!NO! ok$`, 'm'),
    );
    // A later rebuild compares the tables with the log, and must not find this difference.
    for (const [table, id] of Object.entries({ call_events: 'call_id', calls: 'id' }))
      await split.damage(table, `project_id = '${project_id}' AND ${id} = '${good}'`);
  });
});

const aRejected = (projectId: string): RejectedFact => ({
  ...aFact('start', { projectId, callId: '', chunkId: randomUUID() }),
  kind: 'rejected',
  reason: 'the reason of its row',
});

describe('cli dead-letters', () => {
  const list = (project_id: string, ...more: string[]) =>
    done('dead-letters', 'list', '--project', project_id, ...more);
  const idIn = (text: string) => /^[0-9a-f]{32}/m.exec(text)![0];

  it('shows a rejected fact, and sends it again with a correction', async () => {
    const project_id = aProject();
    const { bad } = await send(project_id);

    const listed = await list(project_id);
    expect(listed).toMatch(/^ +1 {2}rejected {2}body\.batch\.N\.req\.start\.started_at: /);
    expect(listed).toContain(bad);
    const id = idIn(listed);
    expect(await done('dead-letters', 'show', id)).toContain('"started_at":"yesterday"');

    const still = file(startItem({ project_id, id: bad, started_at: 'tomorrow' }));
    const again = await split.cli('dead-letters', 'replay', id, '--item', still);
    expect(again).toMatchObject({ code: 1 });
    expect(again.stdout).toMatch(/rejected again: .*started_at/);
    const corrected = file(startItem({ project_id, id: bad }));
    const next = await eventually(async () => idIn(await list(project_id)), 20_000);
    expect(next).not.toBe(id);
    expect(await done('dead-letters', 'replay', next, '--item', corrected)).toMatch(
      / {2}replayed$/m,
    );
    expect(await eventually(() => read(project_id, bad), 20_000)).toMatchObject({ id: bad });
    expect(await list(project_id)).toBe('There are no open dead letters.\n');
    expect(await list(project_id, '--state', 'replayed')).toContain(id);
  });

  it('lists every invalid item as it was sent, those without a project as one, and the valid items of the batch are stored', async () => {
    const project_id = aProject();
    const good = randomUUID();
    const mark = randomUUID();
    const unnamed = [
      mark,
      [mark],
      { mode: mark },
      { mode: 'start', req: mark },
      endItem({ project_id: 'no project', output: mark }),
    ];
    const named = startItem({ project_id, id: 7, display_name: mark });
    const batch = [...unnamed, named, startItem({ project_id, id: good })];
    expect((await ingest.server.post('/call/upsert_batch', { batch })).res).toHaveLength(7);

    const marked = sql`SELECT DISTINCT project_id, kind, reason, item FROM dead_letters
      WHERE position(item, ${bind('String', mark)}) > 0`;
    const deadLetters = await eventually(async () => {
      const rows = await split.store.rows<{ project_id: string; item: string }>(marked);
      return rows.length === 2 && rows;
    }, 20_000);
    const byItem = new Map(deadLetters.map(({ item, ...fields }) => [item, fields]));
    const deadLetter = (reason: string, project = '') => ({
      project_id: project,
      kind: 'rejected',
      reason: expect.stringContaining(reason) as string,
    });
    const reason =
      '5 items name no valid project; the first: body.batch.0.mode: must be "start" or "end", not nothing';
    expect([unnamed, named].map((item) => byItem.get(JSON.stringify(item)))).toEqual([
      deadLetter(reason),
      deadLetter('body.batch.5.req.start.id: must be', project_id),
    ]);
    expect(await read(project_id, good)).toMatchObject({ id: good });
  });

  it('drops the dead letters of a project', async () => {
    const project_id = aProject();
    await send(project_id);

    expect(await done('dead-letters', 'drop', '--project', project_id)).toBe(
      'Dropped 1 dead letters.\n',
    );
    expect(await list(project_id)).toBe('There are no open dead letters.\n');
    expect(await list(project_id, '--state', 'dropped')).toMatch(/^ +1 {2}rejected/);
  });

  it('has what a key that only adds sent about the call of another user, and a replay lets it take effect', async () => {
    const project_id = aProject();
    const { good: id } = await send(project_id);
    const { key } = await ingest.server.post('/admin/keys/create', {
      ...{ user: 'eve', scope: project_id, role: 'ingest' },
    });
    const forged = [
      startItem({ project_id, id, op_name: 'forged' }),
      endItem({ project_id, id, output: 'forged' }),
    ];
    const { status } = await ingest.server.send('/call/upsert_batch', { batch: forged }, { key });

    expect(status).toBe(200);
    await eventually(async () => (await list(project_id)).includes('Another user'), 20_000);
    expect(await read(project_id, id)).toMatchObject({ output: 'kept', wb_user_id: 'ann' });
    await balanced(project_id);

    await done('dead-letters', 'replay', '--project', project_id, '--reason', 'Another user');
    const replaced = await eventually(async () => {
      const call = await read(project_id, id);
      return call.output === 'forged' ? call : undefined;
    }, 20_000);
    expect(replaced).toMatchObject({ op_name: 'forged', wb_user_id: 'eve' });
    await balanced(project_id);
  });

  it('validates a correction, and replays a fact that the store refused', async () => {
    const project_id = aProject();
    const fact = aFact('start', { projectId: project_id, callId: randomUUID() });
    await new DeadLetters(split.store).write([{ fact, reason: 'too odd', cause: 'refused' }]);
    const replay = (...more: string[]) =>
      split.cli('dead-letters', 'replay', factId(fact), ...more);

    expectSentence(await replay('--item', file('not json')), /is not JSON/);
    expectSentence(await replay('--item', join(directory, 'nowhere')), /nowhere/);
    expect((await replay('--item', file({ no: 'call' }))).stdout).toMatch(/rejected again/);
    expect((await replay()).stdout).toMatch(/ {2}replayed$/m);
    expect(await eventually(() => read(project_id, fact.callId), 20_000)).toMatchObject({
      op_name: 'summarise',
    });
  });

  it('replays what a filter finds, and continues after a fact that cannot be sent', async () => {
    const project_id = aProject();
    const lost = { ...aRejected(project_id), item: Buffer.alloc(0) };
    const record = {
      ...aRejected(project_id),
      item: Buffer.from('{"type":"X","data":{}}\n\u0001'),
    };
    const fact = aFact('start', { projectId: project_id, callId: randomUUID() });
    await new DeadLetters(split.store).write([
      { fact: lost, reason: 'payload lost', cause: 'lost' },
      { fact: record, reason: 'too odd', cause: 'refused' },
      { fact, reason: 'too odd', cause: 'refused' },
    ]);
    const listed = await list(project_id, '--reason', 'LOST');
    expect(listed).toMatch(/^ +1 {2}rejected {2}payload lost\n\n[0-9a-f]{32} .*\n$/);

    const { code, stdout } = await split.cli('dead-letters', 'replay', '--project', project_id);

    expect(code).toBe(1);
    expect(stdout.split('\n')).toEqual([
      expect.stringMatching(new RegExp(`^${factId(lost)}  not replayed: its item is lost`)),
      expect.stringMatching(new RegExp(`^${factId(record)}  not replayed: .*records \\(X\\)`)),
      `${factId(fact)}  replayed`,
      'Replayed 1 dead letters.',
      '2 dead letters were not replayed and stay open.',
      '',
    ]);
    expect(await eventually(() => read(project_id, fact.callId), 20_000)).toMatchObject({
      op_name: 'summarise',
    });
    await eventually(
      async () => JSON.stringify(await recorded('dead-letters.replay')).includes(factId(fact)),
      15_000,
    );
  });
});

describe('cli repairs', () => {
  it('sweeps, replays and rebuilds', async () => {
    const project_id = aProject();
    const { good } = await send(project_id);
    const forgotten = aFact('start', { projectId: project_id, callId: randomUUID() });
    await new CallLog(split.store).append([forgotten]);

    const anHourAgo = new Date(Date.now() - 3_600_000).toISOString();
    expect(await done('sweep', '--from', anHourAgo)).toMatch(/^Repaired [1-9]\d* calls\.\n$/);
    expect(await read(project_id, forgotten.callId)).toMatchObject({ op_name: 'summarise' });
    expect(await done('sweep')).toMatch(/^Repaired \d+ calls\.\n$/);

    await split.damage('calls', `project_id = '${project_id}'`);
    expect(await read(project_id, good)).toBeNull();
    const replay = (...range: string[]) => split.cli('replay', '--project', project_id, ...range);
    expect(await replay('--from', anHourAgo, '--rate', '1000')).toEqual({
      code: 0,
      stdout: 'Folded 1 calls again.\n',
      stderr: 'calls replayed: 1 of 1 (100 %)\n',
    });
    expect(await read(project_id, good)).toMatchObject({ output: 'kept' });
    expect(await read(project_id, forgotten.callId)).toBeNull();
    expect((await replay('--to', anHourAgo)).stdout).toBe('Folded 1 calls again.\n');
    expect(await read(project_id, forgotten.callId)).toMatchObject({ op_name: 'summarise' });

    expect(await done('rebuild')).toMatch(
      /^before {2}\d+ calls, checksum \d+; \d+ usages, checksum \d+\nafter .*\nFolded \d+ calls with newer facts .*\nBoth tables have the same content\.\n$/,
    );
    expect(await read(project_id, good)).toMatchObject({ output: 'kept' });
    expect(await rebuildTables()).toEqual([]);
  });
});

describe('cli rebuild --records', () => {
  it('rebuilds the tables of records from the log, and repairs them', async () => {
    const project_id = aProject();
    const obj = (n: number) => ({ obj: { project_id, object_id: 'cfg', val: { n } } });
    for (const n of [1, 2, 1]) await ingest.server.post('/obj/create', obj(n));
    const { digest } = await ingest.server.post('/table/create', {
      table: { project_id, rows: [{ n: 1 }] },
    });
    const objects = () =>
      query.server.post('/objs/query', { project_id, include_tags_and_aliases: true });
    const count = () => query.server.post('/table/query_stats', { project_id, digest });
    const price = { prompt_token_cost: 0.5, completion_token_cost: 0.25 };
    await ingest.server.post('/cost/create', { project_id, costs: { a: price, b: price } });
    const prices = () =>
      split.store.rows<{ level: string }>(
        sql`SELECT * FROM prices FINAL ORDER BY level, llm_id, id`,
      );
    const priced = await prices();
    expect(priced.filter(({ level }) => level === 'default').length).toBeGreaterThan(3000);
    expect(priced.filter(({ level }) => level === 'project')).toHaveLength(2);
    const before = await objects();
    expect(await done('rebuild', '--records')).toMatch(
      /^objects +same {2}\d+ rows\n[^]*Projected \d+ facts, \d+ of them again .*\nAll tables have the same content\.\n$/,
    );
    expect(await objects()).toEqual(before);
    // Default prices are not facts of a project and stay.
    expect(await prices()).toEqual(priced);

    for (const table of ['objects', 'tables']) {
      await split.damage(table, `project_id = '${project_id}'`);
    }
    expect([await objects(), await count()]).toEqual([{ objs: [] }, { count: 0 }]);
    expect(await done('rebuild', '--records')).toMatch(/objects +differs[^]*match the log/);
    expect([await objects(), await count()]).toEqual([before, { count: 1 }]);
    expect(await rebuildTables()).toEqual([]);
    expect(await recorded('rebuild')).toEqual({ records: expect.any(Number) });
  });
});

/** Expects one line with the reason, and no stack. */
function expectSentence({ code, stdout, stderr }: CliResult, about: RegExp): void {
  expect({ code, stdout, stderr }).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^(heddle|error): .*\n$/) as string,
  });
  expect(stderr).toMatch(about);
}

describe('cli usage', () => {
  const mistakes: [string[], RegExp][] = [
    [['replay'], /--project, --from/],
    [['replay', '--from', 'yesterday'], /yesterday is not a date-time/],
    [['replay', '--project', 'a/b', '--rate', '0'], /--rate must be a positive number, not 0/],
    [['sweep', '--from', ''], /is not a date-time/],
    [['dead-letters', 'drop'], /ids, --project or --reason/],
    [['dead-letters', 'replay', '--project', 'a/b', '--item', 'x'], /give its id/],
    [['dead-letters', 'replay', 'unknown'], /no dead letter unknown/],
    [['dead-letters', 'show', 'unknown'], /no dead letter unknown/],
    [['dead-letters', 'list', '--limit', 'many'], /--limit must be a positive number, not many/],
    [['dead-letters', 'list', '--state', 'odd'], /odd.*open, replayed, dropped/],
    [['ledger', '--project', 'no/project'], /no\/project/],
    [['backup', '--to', '/nowhere', '--nodes', 'http://ch-1:8123'], /--nodes is of a cluster/],
    [['restore', '--from', '/nowhere', '--nodes', 'http://ch-1:8123'], /--nodes is of a cluster/],
    [['nonsense'], /nonsense/],
  ];

  it('is refused with a reason in one line', async () => {
    const explained = async ([args, about]: [string[], RegExp]) =>
      expectSentence(await split.cli(...args), about);
    await Promise.all(mistakes.map(explained));
  });
});

describe('cli prices', () => {
  const model = `model-${randomUUID().slice(0, 8)}`;
  const book = (input: string, effective_date: string) =>
    file({
      source: 'a test',
      unit: 'USD per token',
      effective_date,
      prices: [[model, 'mine', input, '0.000002', '0', '0']],
    });
  const costOf = async (project_id: string) => {
    const { call } = await query.server.post('/call/read', {
      project_id,
      id: 'c',
      include_costs: true,
    });
    return call.summary.weave.costs?.[model]?.prompt_tokens_total_cost;
  };

  it('imports a price book after a preview, and refuses one with large changes', async () => {
    const project_id = aProject();
    const summary = { usage: { [model]: { prompt_tokens: 1000 } } };
    await ingest.server.post('/call/upsert_batch', {
      batch: [startItem({ project_id, id: 'c' }), endItem({ project_id, id: 'c', summary })],
    });
    const first = book('0.000001', '2026-01-01');
    expect(await done('prices', 'import', first, '--preview')).toContain(`+ ${model}`);
    expect(await costOf(project_id)).toBeUndefined();
    expect(await done('prices', 'import', first)).toContain('Stored 1 prices');
    expect(await costOf(project_id)).toBe(0.001);
    expect(await done('prices', 'import', first)).toContain('0 changed');

    const jump = book('0.00002', '2026-02-01');
    const refused = await split.cli('prices', 'import', jump);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('--force') });
    expect(refused.stdout).toContain(`! ${model}  0.000001`);
    expect(await costOf(project_id)).toBe(0.001);
    expect(await recorded('prices.import')).toMatchObject({ from: '2026-01-01' });
    await done('prices', 'import', jump, '--force');
    expect(await costOf(project_id)).toBe(0.02);
    await done('prices', 'refresh', project_id);
    expect(await recorded('prices.refresh')).toEqual({});
    const broken = await split.cli('prices', 'import', file('{}'));
    expect(broken).toMatchObject({ code: 1, stderr: expect.stringContaining('not a price book') });
  });

  it('shows what a price would change, and refreshes the stored costs', async () => {
    const project_id = aProject();
    const costs = {
      m: { prompt_token_cost: 1, completion_token_cost: 0.5, effective_date: '2026-01-01' },
    };
    await ingest.server.post('/cost/create', { project_id, costs });
    const usage = { m: { prompt_tokens: 10, completion_tokens: 4 } };
    await ingest.server.post('/call/upsert_batch', {
      batch: [
        startItem({ project_id, id: 'c' }),
        endItem({ project_id, id: 'c', summary: { usage } }),
        startItem({ project_id, id: 'kid', parent_id: 'c' }),
        endItem({ project_id, id: 'kid', summary: { usage } }),
      ],
    });
    await read(project_id, 'kid');

    const what = ['--project', project_id, '--model', 'm', '--input', '2', '--output', '0.25'];
    const output = await done('prices', 'what-if', ...what);
    expect(output).toMatch(/^1 calls of m .*\nnow {4}12\nthen {3}21\nchange \+9\n$/);
    const none = await done('prices', 'what-if', ...what, '--from', '2030-01-01');
    expect(none).toContain('0 calls');
    const wrong = await split.cli('prices', 'what-if', ...what, '--cache-read', '1e-7');
    expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('--cache-read') });

    await done('prices', 'refresh', project_id);
    const rows = await split.store.rows(
      sql`SELECT id, toString(cost_at_write) AS cost FROM calls FINAL
        WHERE project_id = ${bind('String', project_id)} ORDER BY id`,
    );
    expect(rows).toEqual([
      { id: 'c', cost: '12' },
      { id: 'kid', cost: '12' },
    ]);
  });
});

describe('cli audit', () => {
  it('exports every entry with its key, address and request, and verify finds one that was removed', async () => {
    const project_id = aProject();
    const headers = { 'x-request-id': randomUUID() };
    const body = { project_id, call_id: 'c', display_name: 'n' };
    expect((await ingest.server.send('/call/update', body, { headers })).status).toBe(200);
    const exported = async () =>
      (await done('audit', 'export', '--scope', project_id))
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as { action: string; seq: number });
    const [renamed] = await eventually(async () => {
      const entries = await exported();
      return entries.length > 0 ? entries : undefined;
    }, 20_000);

    expect(renamed).toMatchObject({
      ...{ action: 'calls.rename', user_id: 'ann', key_id: 'environment' },
      ...{ address: expect.stringContaining('127.0.0.1'), request_id: headers['x-request-id'] },
      detail: { call_id: 'c' },
    });
    const [, end] = /entries are unchanged\. End: (\S+)/.exec(await done('audit', 'verify'))!;
    expect(await done('audit', 'verify', '--expect', end!)).toContain('are unchanged');

    await split.damage('audit', `seq = ${Number(renamed!.seq)}`);
    const { code, stdout } = await split.cli('audit', 'verify', '--expect', end!);
    expect({ code, stdout }).toMatchObject({
      code: 1,
      stdout: expect.stringContaining(`Entry ${renamed!.seq} is missing.`),
    });
  });
});
