import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { programEnvironment, root } from './processes.js';

export interface CliResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** One process that runs the commands of an operator in turn. It starts with the first command. */
export class CliRunner {
  private child: ChildProcess | undefined;
  private last: Promise<unknown> = Promise.resolve();

  constructor(private readonly env: Readonly<Record<string, string>>) {}

  run(args: readonly string[]): Promise<CliResult> {
    const result = this.last.then(() => this.runNow(args));
    this.last = result.catch(() => undefined);
    return result;
  }

  stop(): void {
    this.child?.kill('SIGKILL');
  }

  private async runNow(args: readonly string[]): Promise<CliResult> {
    this.child ??= fork(join(root, 'test/support/cli-process.mjs'), {
      cwd: root,
      env: programEnvironment(this.env),
      execArgv: [],
    });
    const ended = new AbortController();
    const died = once(this.child, 'exit', { signal: ended.signal }).then(() => {
      throw new Error(`The process of the commands ended during ${args.join(' ')}.`);
    });
    const replied = once(this.child, 'message', { signal: ended.signal });
    this.child.send({ args });
    try {
      const [result] = (await Promise.race([replied, died])) as [CliResult];
      return result;
    } finally {
      ended.abort();
      died.catch(() => undefined);
      replied.catch(() => undefined);
    }
  }
}
