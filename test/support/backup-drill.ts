import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bind, connectStore, raw, sql, type Store } from '@app/clickhouse';
import { readConfig } from '@app/config';
import { freePort } from '@app/embedded';
import { aSpan, endItem, spanAttributes, startItem } from './records.js';
import { eventually, startNode, startStandalone } from './processes.js';
import { TestServer } from './test-server.js';

/** The settings with which a command or a test reaches the stores of a standalone server. */
export function storesOf(dataDir: string): Record<string, string> {
  const { redis, clickhouse } = JSON.parse(readFileSync(join(dataDir, 'stores.json'), 'utf8'));
  return {
    REDIS_URL: redis.url,
    CLICKHOUSE_URL: clickhouse.url,
    CLICKHOUSE_USER: clickhouse.user,
    CLICKHOUSE_PASSWORD: clickhouse.password,
    CLICKHOUSE_DATABASE: clickhouse.database,
  };
}

export const storeOf = (env: Record<string, string>): Store =>
  connectStore(readConfig(env).clickhouse, 'test');

/** Runs a command of the operator. */
export async function command(env: Record<string, string>, ...args: string[]) {
  const program = startNode(['dist/apps/cli/src/main.js', ...args], { env });
  const { code } = await program.end(120_000);
  return { code, stdout: program.stdout, stderr: program.stderr };
}

/** The JSON result of a command that must succeed. */
export async function result(env: Record<string, string>, ...args: string[]): Promise<any> {
  const { code, stdout, stderr } = await command(env, ...args, '--json');
  if (code !== 0) throw new Error(`${args.join(' ')}: ${code} ${stdout} ${stderr}`);
  return JSON.parse(stdout);
}

/** The last line that a command prints when it must fail. */
export async function refusal(env: Record<string, string>, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await command(env, ...args);
  if (code !== 1) throw new Error(`${args.join(' ')}: ${code} ${stdout} ${stderr}`);
  return stderr.trim().split('\n').at(-1)!;
}

const fileForm = (project_id: string, text: string): [string, Record<string, string>] => [
  [
    `--b\r\ncontent-disposition: form-data; name="project_id"\r\n\r\n${project_id}\r\n`,
    `--b\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n${text}\r\n--b--\r\n`,
  ].join(''),
  { 'content-type': 'multipart/form-data; boundary=b' },
];

export interface Written {
  readonly id: string;
  readonly file: string;
  readonly table: string;
}

/** Writes one of everything: a price, calls, a renamed, a deleted and an invalid one, a span, an object, a table, a file, feedback. */
export async function writeAll(server: TestServer, project_id: string): Promise<Written> {
  const [id, gone] = [randomUUID(), randomUUID()];
  const send = async (path: string, body: unknown, options: object = {}) => {
    const response = await server.send(path, body, options);
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${response.text}`);
    return response.json();
  };
  const price = { prompt_token_cost: 0.5, completion_token_cost: 0.25 };
  await send('/cost/create', { project_id, costs: { 'a-model': price } });
  const usage = { 'a-model': { requests: 1, prompt_tokens: 3, completion_tokens: 5 } };
  await send('/call/upsert_batch', {
    batch: [
      startItem({ project_id, id, inputs: { text: 'why' } }),
      endItem({ project_id, id, output: 'because', summary: { usage } }),
      startItem({ project_id, id: gone }),
      startItem({ project_id, id: randomUUID(), started_at: 'yesterday' }),
    ],
  });
  await send('/call/update', { project_id, call_id: id, display_name: 'renamed' });
  await send('/calls/delete', { project_id, call_ids: [gone] });
  const spans = [aSpan({ attributes: spanAttributes({ word: 'a' }) })];
  await send(
    '/agents/otel/v1/traces',
    { resourceSpans: [{ scopeSpans: [{ spans }] }] },
    { headers: { project_id, 'content-type': 'application/json' } },
  );
  const object = { project_id, object_id: 'cfg', val: { n: 1 } };
  const { digest } = await send('/obj/create', { obj: object });
  const inBody = { method: 'PUT' };
  await send(`/objs/cfg/versions/${digest}/tags`, { project_id, tags: ['t'] }, inBody);
  await send('/objs/cfg/aliases', { project_id, digest, aliases: ['prod'] }, inBody);
  const table = await send('/table/create', { table: { project_id, rows: [{ n: 1 }, { n: 2 }] } });
  const [form, headers] = fileForm(project_id, 'a file');
  const file = await send('/file/create', form, { headers });
  await send('/feedback/create', {
    project_id,
    weave_ref: `weave:///${project_id}/call/${id}`,
    feedback_type: 'note',
    payload: { note: 'good' },
  });
  return { id, file: file.digest, table: table.digest };
}

interface TableRow {
  readonly name: string;
  readonly engine: string;
  readonly has_project: number;
}

/** A checksum of all columns of the rows of a project, for every table; of all rows where a table knows no projects. */
export async function projectChecksums(
  store: Store,
  project: string,
): Promise<Record<string, string>> {
  // On a cluster, a distributed table is read, and the table behind it says whether versions are merged.
  const isCluster = store.topology.kind === 'cluster';
  const tables =
    await store.rows<TableRow>(sql`SELECT ${raw(isCluster ? "replaceRegexpOne(name, '_local$', '')" : 'name')} AS name, engine,
  name IN (SELECT table FROM system.columns WHERE database = currentDatabase() AND name = 'project_id') AS has_project
FROM system.tables WHERE database = currentDatabase() AND engine != 'Distributed' ORDER BY name`);
  const sums: Record<string, string> = {};
  for (const { name, engine, has_project } of tables) {
    const final = raw(engine === 'MergeTree' ? '' : 'FINAL');
    const where = has_project ? sql`project_id = ${bind('String', project)}` : sql`true`;
    const rows = sql`SELECT DISTINCT formatRow('TSV', *) AS row FROM ${raw(name)} ${final} WHERE ${where}`;
    const [sum] = await store.rows<{ text: string }>(
      sql`SELECT concat(toString(count()), ' ', hex(groupBitXor(cityHash64(row)))) AS text FROM (${rows})`,
    );
    sums[name] = sum!.text;
  }
  return sums;
}

export async function startOn(directory: string, key?: string): Promise<TestServer> {
  const PORT = String(await freePort());
  const program = await startStandalone(directory, { PORT, READ_WAIT_MS: '20000' });
  const shown = /API key +(hdl_\S+)/.exec(program.stdout)?.[1];
  return new TestServer(`http://127.0.0.1:${PORT}`, key ?? shown!);
}

/** A server in this directory with one of everything, and the checksums of what it has stored. */
export async function startWithEverything(directory: string, projectId: string) {
  const server = await startOn(directory);
  const written = await writeAll(server, projectId);
  const isSettled = async () =>
    (await result({ DATA_DIR: directory }, 'ledger'))['total'].pending === 0;
  await eventually(isSettled, 20_000);
  const store = storeOf(storesOf(directory));
  const before = await projectChecksums(store, projectId);
  await store.close();
  return { server, written, before };
}
