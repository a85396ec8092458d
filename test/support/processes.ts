import { execFileSync, spawn, type ChildProcessByStdio } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { TestServer } from './test-server.js';
import { refuseSecrets } from './secrets-in-logs.mjs';
import { endItem, startItem } from './records.js';

const POLL_MS = 25;

export const root = fileURLToPath(new URL('../../', import.meta.url));

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A process of the machine. `began` tells it apart from a later process with the same pid. */
export interface Entry {
  readonly pid: number;
  readonly parent: number;
  readonly began: string;
  readonly command: string;
}

type Environment = Readonly<Record<string, string>>;

export interface Launch {
  readonly env?: Environment;
  readonly cwd?: string;
}

/** A program started as a user would start it, with everything it has written. */
export class Program {
  stdout = '';
  stderr = '';
  private exit: Exit | undefined;

  constructor(
    private readonly child: ChildProcessByStdio<null, Readable, Readable>,
    readonly name: string,
  ) {
    child.stdout.setEncoding('utf8').on('data', (text: string) => (this.stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (this.stderr += text));
    // The 'exit' event may come before the last output, 'close' does not.
    child.once('close', (code, signal) => (this.exit = { code, signal }));
  }

  get pid(): number {
    return this.child.pid!;
  }

  get isRunning(): boolean {
    return this.exit === undefined;
  }

  /** Resolves with the first match in stdout or stderr. */
  printed(pattern: RegExp, withinMs = 30_000): Promise<RegExpExecArray> {
    return eventually(
      () => {
        const found = pattern.exec(this.stdout) ?? pattern.exec(this.stderr);
        if (!found && !this.isRunning) throw new NeverError(this.report('ended too early'));
        return found;
      },
      withinMs,
      () => this.report(`did not print ${pattern}`),
    );
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Sends the signal and resolves when the program has ended. */
  async stop(signal: NodeJS.Signals = 'SIGTERM', withinMs = 20_000): Promise<Exit> {
    this.signal(signal);
    return this.end(withinMs);
  }

  end(withinMs = 20_000): Promise<Exit> {
    return eventually(
      () => this.exit,
      withinMs,
      () => this.report('did not end'),
    );
  }

  private report(what: string): string {
    return `${this.name} (pid ${this.pid}) ${what}.\n${this.stdout}\n${this.stderr.slice(-4000)}`;
  }
}

const started = new Set<Program>();
const directories = new Set<string>();

/** Of the tests' environment a program gets only what every program needs to run. */
export function programEnvironment(env: Environment): Record<string, string> {
  const own = Object.fromEntries(
    ['PATH', 'HOME', 'TMPDIR', 'LANG'].flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
  return { ...own, ...env };
}

/** Runs node with these arguments. */
export function startNode(args: readonly string[], { env = {}, cwd = root }: Launch = {}): Program {
  const child = spawn(process.execPath, args, {
    cwd,
    env: programEnvironment(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const program = new Program(child, args.join(' '));
  started.add(program);
  return program;
}

export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'heddle-e2e-'));
  directories.add(directory);
  return directory;
}

/**
 * For `afterEach`: kills the programs of a test with all their descendants, and removes its directories. Servers that use
 * those directories stop in between.
 */
export async function cleanUp(stopServers?: () => Promise<unknown>): Promise<void> {
  const logs = [...started].map(({ stderr }) => stderr).join('\n');
  const unstructured = [...started].flatMap(textLines);
  for (const program of started) {
    if (!program.isRunning) continue;
    const family = descendantsOf(program.pid);
    await program.stop('SIGKILL');
    for (const entry of family) if (isAlive(entry)) killOne(entry);
  }
  started.clear();
  await stopServers?.();
  for (const directory of directories) {
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  }
  directories.clear();
  expect(unstructured).toEqual([]);
  refuseSecrets(
    logs,
    ['a-key-for-all-of-them', 'a-key-of-the-environment'],
    'a program under test',
  );
}

/** Lines of a server's log that are not JSON. The last line of a server that was killed may be incomplete. */
function textLines({ name, stderr }: Program): string[] {
  if (!/^dist\/apps\/(ingest|query|worker|standalone)\//.test(name)) return [];
  const lines = stderr.split('\n').slice(0, -1);
  return lines.filter((line) => !/^\{"level":"\w+","time":.*\}$/.test(line));
}

/** Sends SIGKILL to one process. A process that has just ended by itself is no error. */
export function killOne({ pid }: Entry): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

export function isAlive({ pid, began }: Entry): boolean {
  return processes().some((entry) => entry.pid === pid && entry.began === began);
}

export function childrenOf(pid: number): Entry[] {
  return processes().filter((entry) => entry.parent === pid);
}

export function descendantsOf(pid: number, all = processes()): Entry[] {
  const below = (parent: number): Entry[] =>
    all.filter((entry) => entry.parent === parent).flatMap((entry) => [entry, ...below(entry.pid)]);
  return below(pid);
}

/** Every running process of the machine. */
export function processes(): Entry[] {
  return process.platform === 'linux' ? processesOfProc() : processesOfPs();
}

function processesOfProc(): Entry[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
        const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ');
        // The command name in parentheses may contain parentheses, so fields are counted after the last one.
        const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        if (fields[0] === 'Z' || fields[0] === 'X') return [];
        return [{ pid: Number(name), parent: Number(fields[1]), began: fields[19]!, command }];
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (code === 'ENOENT' || code === 'ESRCH') return []; // the process has just ended
        throw error;
      }
    });
}

function processesOfPs(): Entry[] {
  const text = execFileSync('ps', ['-axo', 'pid=,ppid=,stat=,lstart=,command='], {
    encoding: 'utf8',
  });
  return [...text.matchAll(/^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.{24})\s(.*)$/gm)]
    .filter(([, , , state]) => !state!.startsWith('Z'))
    .map(([, pid, parent, , began, command]) => ({
      pid: Number(pid),
      parent: Number(parent),
      began: began!,
      command: command!,
    }));
}

/** The condition can no longer become true, so `eventually` stops polling. */
class NeverError extends Error {}

/** Limits are for an idle machine. With other work on the machine, everything may take several times as long. */
const PATIENCE = 5;

/** Calls `check` until its result is not undefined, null or false. An error counts as "not yet". */
export async function eventually<T>(
  check: () => T | Promise<T>,
  withinMs: number,
  otherwise: () => string = () => 'It did not happen',
): Promise<Exclude<T, undefined | null | false>> {
  const deadline = Date.now() + PATIENCE * withinMs;
  let reason = '';
  do {
    try {
      const result = await check();
      if (result !== undefined && result !== null && result !== false) {
        return result as Exclude<T, undefined | null | false>;
      }
      reason = '';
    } catch (error) {
      if (error instanceof NeverError) throw error;
      reason = ` ${String(error)}`;
    }
    await pause(POLL_MS);
  } while (Date.now() < deadline);
  throw new Error(`${otherwise()} (within ${PATIENCE * withinMs} ms).${reason}`);
}

const CALLS_PER_BATCH = 20;
/** Clients that never rest would take the processors of the specs that run at the same time, and store more calls to compare. */
const REST_MS = 100;
const IDS_PER_QUERY = 1000;

/** Clients that send batches of complete calls with short rests, and remember which were acknowledged. */
export class Traffic {
  readonly acknowledged: string[] = [];
  /** The number of responses by status; 0 is a request without a response. */
  readonly statuses = new Map<number, number>();
  /** The `Retry-After` header of the last refusal. */
  retryAfter: string | null = null;
  private isOn = true;
  private readonly clients: Promise<void>[];

  constructor(
    private readonly server: TestServer,
    readonly project_id: string,
    clients: number,
  ) {
    this.clients = Array.from({ length: clients }, () => this.client());
  }

  /** Resolves when the server has acknowledged this many more calls. */
  async acknowledgedMore(calls: number, withinMs = 20_000): Promise<void> {
    const enough = this.acknowledged.length + calls;
    const progress = () => JSON.stringify([...this.statuses]);
    await eventually(
      () => this.acknowledged.length >= enough,
      withinMs,
      () => `The server did not accept ${calls} calls; statuses ${progress()}`,
    );
  }

  count(status: number): number {
    return this.statuses.get(status) ?? 0;
  }

  async stop(): Promise<void> {
    this.isOn = false;
    await Promise.all(this.clients);
  }

  private async client(): Promise<void> {
    while (this.isOn) {
      const ids = Array.from({ length: CALLS_PER_BATCH }, () => randomUUID());
      const status = await this.send(ids);
      this.statuses.set(status, this.count(status) + 1);
      if (status === 200) this.acknowledged.push(...ids);
      await pause(status === 200 ? REST_MS : POLL_MS);
    }
  }

  private async send(ids: readonly string[]): Promise<number> {
    const { project_id } = this;
    const batch = ids.flatMap((id) => [
      startItem({ project_id, id }),
      endItem({ project_id, id, output: id }),
    ]);
    try {
      const response = await this.server.send('/call/upsert_batch', { batch });
      if (response.status !== 200) this.retryAfter = response.headers.get('retry-after');
      return response.status;
    } catch {
      return 0; // no server is listening
    }
  }
}

/** Resolves when the server counts every one of these calls and a sample of them is complete. */
export async function allArrived(
  server: TestServer,
  project_id: string,
  ids: readonly string[],
  withinMs: number,
): Promise<void> {
  for (let from = 0; from < ids.length; from += IDS_PER_QUERY) {
    const call_ids = ids.slice(from, from + IDS_PER_QUERY);
    let count = 0;
    await eventually(
      async () => {
        ({ count } = await server.post('/calls/query_stats', { project_id, filter: { call_ids } }));
        return count === call_ids.length;
      },
      withinMs,
      () => `${call_ids.length - count} of ${call_ids.length} acknowledged calls are missing`,
    );
  }
  const sample = ids.filter((_, index) => index % Math.ceil(ids.length / 20) === 0);
  for (const id of sample) {
    const { call } = await server.post('/call/read', { project_id, id });
    expect(call).toMatchObject({ id, op_name: 'summarise', output: id });
  }
}

/** Starts a standalone server on a data directory and resolves when it prints `ready`. */
export async function startStandalone(
  dataDir: string,
  env: Environment & { readonly PORT: string },
  withinMs = 30_000,
): Promise<Program> {
  const program = startNode(['dist/apps/standalone/src/main.js'], {
    env: { LOG_LEVEL: 'info', DATA_DIR: dataDir, ...env },
  });
  await program.printed(/^ready$/m, withinMs);
  return program;
}
