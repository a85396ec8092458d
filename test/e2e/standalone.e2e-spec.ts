import { constants, lstatSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { freePort } from '@app/embedded';
import { aProject, TestServer } from '../support/test-server.js';
import {
  allArrived,
  childrenOf,
  cleanUp,
  descendantsOf,
  eventually,
  isAlive,
  startStandalone,
  startNode,
  temporaryDirectory,
  Traffic,
} from '../support/processes.js';
import { aStart, anEnd } from '../support/records.js';

const { S_IFMT, S_IFLNK } = constants;
const READY_WITHIN_MS = 15_000;
const STOPPED_WITHIN_MS = 20_000;
const COMMAND_WITHIN_MS = 30_000;
const ARRIVED_WITHIN_MS = 20_000;

afterEach(() => cleanUp());

/** npm, as the user has it, or the one that was installed with Node. */
const npmCli = (): string =>
  process.env['npm_execpath'] ??
  join(dirname(realpathSync(process.execPath)), '../lib/node_modules/npm/bin/npm-cli.js');

/** Files and directories that another user of the machine could read or change. */
function readableByOthers(directory: string): string[] {
  const names = readdirSync(directory, { recursive: true }).map(String);
  expect(names).toContainEqual(expect.stringMatching(/appendonly\.aof\.\d+\.incr\.aof$/));
  return names.filter((name) => {
    const { mode } = lstatSync(join(directory, name));
    return (mode & S_IFMT) !== S_IFLNK && (mode & 0o077) !== 0;
  });
}

/** Runs a command of the operator, which knows the server by its data directory only. */
async function command(dataDir: string, ...args: string[]) {
  const program = startNode(['dist/apps/cli/src/main.js', ...args], { env: { DATA_DIR: dataDir } });
  const { code } = await program.end(COMMAND_WITHIN_MS);
  const { stdout, stderr } = program;
  return { code, stdout, stderr };
}

/** Every command works on a running server without any other setting. */
async function operatorsCommands(dataDir: string, project: string): Promise<void> {
  const result = async (...args: string[]) => {
    const { code, stdout, stderr } = await command(dataDir, ...args, '--json');
    if (code !== 0) throw new Error(`${args.join(' ')}: ${code} ${stdout} ${stderr}`);
    return JSON.parse(stdout) as Record<string, any>;
  };
  expect(statSync(join(dataDir, 'stores.json')).mode & 0o777).toBe(0o600);
  const ledger = await result('ledger', '--project', project);
  expect(ledger['total']).toMatchObject({ received: 2, settled: 2 });
  const { findings } = await result('doctor');
  expect(findings.map(({ check, state }: any) => `${check} ${state}`)).toEqual(
    [
      'node',
      'settings',
      'permissions',
      'redis',
      'durability',
      'clocks',
      'clickhouse',
      'migrations',
      'disk',
    ].map((check) => `${check} ok`),
  );
  expect((await result('migrate', '--status'))['migrations'].length).toBeGreaterThan(10);
  expect((await result('keys', 'list'))['keys']).toMatchObject([{ role: 'admin' }]);
  expect(await result('dead-letters', 'list')).toEqual({ reasons: [], dead_letters: [] });
  expect(await result('sweep')).toEqual({ repaired: 0, dead_lettered: 0 });
}

/** No Prometheus can reach the children, so their metrics are on the page of the server. */
async function metricsOfChildren(server: TestServer): Promise<void> {
  const { text } = await server.send('/metrics', undefined, { method: 'GET', key: null });
  const value = (sample: string) =>
    Number(
      text
        .split('\n')
        .find((line) => line.startsWith(`${sample} `))
        ?.split(' ')
        .at(-1),
    );
  for (const child of ['redis', 'clickhouse', 'worker']) {
    expect(value(`heddle_child_up{child="${child}"}`)).toBe(1);
    expect(value(`heddle_child_resident_memory_bytes{child="${child}"}`)).toBeGreaterThan(1e6);
    expect(value(`heddle_child_cpu_seconds_total{child="${child}"}`)).toBeGreaterThan(0);
  }
  expect(value('heddle_worker_flush_seconds_count{process="worker"}')).toBeGreaterThan(0);
  expect(value('heddle_worker_rows_written_total{process="worker"}')).toBeGreaterThan(0);
  expect(value('heddle_queue_memory_bytes')).toBeGreaterThan(0);
  expect(value('heddle_query_statement_seconds_count')).toBeGreaterThan(0);
  const families = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
  expect(families).toEqual([...new Set(families)]);
}

describe('a standalone server', () => {
  it('shows its key once, keeps calls and key over a restart, and leaves no process when it stops', async () => {
    const dataDir = temporaryDirectory();
    const PORT = String(await freePort());
    const url = `http://127.0.0.1:${PORT}`;
    const project_id = aProject();

    const first = await startStandalone(dataDir, { PORT });
    const key = /API key +(hdl_\S+)/.exec(first.stdout)![1]!;
    const file = join(dataDir, 'api-key');
    expect(first.stdout).toContain(`Heddle   ${url}\n`);
    expect(first.stdout).toContain(
      `export WANDB_BASE_URL=${url} WANDB_API_KEY=${key} WEAVE_USE_SERVER_CACHE=false\n`,
    );
    expect(first.stdout).toContain(`export WF_TRACE_SERVER_URL=${url} WANDB_API_KEY=${key}\n`);
    expect(first.stdout).toMatch(/\nready\n$/);
    expect(readFileSync(file, 'utf8')).toBe(`${key}\n`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(dataDir).mode & 0o777).toBe(0o700);

    const server = new TestServer(url, key);
    const start = aStart({ project_id });
    await server.post('/call/start', { start });
    await server.post('/call/end', { end: anEnd({ project_id, id: start.id, output: 'kept' }) });
    const read = async () => (await server.post('/call/read', { project_id, id: start.id })).call;
    expect(await read()).toMatchObject({ output: 'kept', wb_user_id: 'admin' });

    await operatorsCommands(dataDir, project_id);
    await metricsOfChildren(server);

    // The server is stopped while clients are sending.
    const traffic = new Traffic(server, project_id, 3);
    await traffic.acknowledgedMore(500);
    const family = descendantsOf(first.pid);
    const commands = childrenOf(first.pid).map(({ command }) => command);
    expect(commands).toHaveLength(3);
    for (const part of [/redis-server|valkey-server/, /clickhouse/, /worker\/src\/main\.js/]) {
      expect(commands).toContainEqual(expect.stringMatching(part));
    }
    expect(await first.stop('SIGINT', STOPPED_WITHIN_MS)).toEqual({ code: 0, signal: null });
    await traffic.stop();
    expect(family.filter(isAlive)).toEqual([]);

    const second = await startStandalone(dataDir, { PORT }, READY_WITHIN_MS);
    expect(second.stdout).not.toContain(key);
    expect(second.stdout).toContain(`API key  in ${file}\n`);
    expect(second.stdout).toContain(`WANDB_API_KEY=$(cat ${file}) `);
    expect(await read()).toMatchObject({ output: 'kept' });
    await allArrived(server, project_id, traffic.acknowledged, ARRIVED_WITHIN_MS);
    const again = descendantsOf(second.pid);
    expect(await second.stop('SIGTERM', STOPPED_WITHIN_MS)).toEqual({ code: 0, signal: null });
    const late = await command(dataDir, 'ledger');
    expect(late).toMatchObject({ code: 1, stdout: '' });
    expect(late.stderr).toMatch(/^heddle: .*is unavailable .* set DATA_DIR to the data directory/m);
    expect(again.filter(isAlive)).toEqual([]);
    expect(readableByOthers(dataDir)).toEqual([]);
  });

  it('ends when npm start gets SIGTERM, which the shell in between does not pass on', async () => {
    const env = {
      DATA_DIR: temporaryDirectory(),
      PORT: String(await freePort()),
      npm_config_update_notifier: 'false',
    };
    const program = startNode([npmCli(), 'start'], { env });
    await program.printed(/^ready$/m, 60_000);
    const family = descendantsOf(program.pid);
    expect(family.length).toBeGreaterThan(3);

    await program.stop('SIGTERM', STOPPED_WITHIN_MS);

    await eventually(
      () => !family.some(isAlive),
      STOPPED_WITHIN_MS,
      () => JSON.stringify(family.filter(isAlive)),
    );
  });

  it('leaves no process when it is interrupted while it starts', async () => {
    const env = { DATA_DIR: temporaryDirectory(), PORT: String(await freePort()) };
    const program = startNode(['dist/apps/standalone/src/main.js'], { env });
    const worker = () => childrenOf(program.pid).find(({ command }) => /worker/.test(command));
    await eventually(worker, 20_000);

    const family = descendantsOf(program.pid);
    await program.stop('SIGINT');

    await eventually(
      () => !family.some(isAlive),
      STOPPED_WITHIN_MS,
      () => JSON.stringify(family),
    );
  });
});
