import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

export interface EngineCredentials {
  readonly user: string;
  readonly password: string;
}

/** What the process that runs the engine needs from its HTTP interface: to wait, to drain and to stop. */
export class EngineSession {
  /** Names the statement that keeps `clickhouse local` running. */
  private readonly mark = `wait_${randomUUID().replaceAll('-', '')}`;

  constructor(
    private readonly url: string,
    private readonly credentials: EngineCredentials,
  ) {}

  /** `clickhouse local` serves for as long as this statement runs. It can be killed between two rows. */
  get waitStatement(): string {
    return (
      `SELECT sleepEachRow(0.2) AS ${this.mark} FROM numbers(100000000000) ` +
      'SETTINGS function_sleep_max_microseconds_per_block = 0, max_block_size = 1 FORMAT Null'
    );
  }

  /** Resolves when no statement of a client is in progress, or when the engine does not respond. */
  async drained(pollMs: number): Promise<void> {
    const others = `SELECT count() FROM system.processes WHERE query NOT LIKE '%${this.mark}%'`;
    while (Number(await this.execute(others)) > 1) await sleep(pollMs);
  }

  /** Ends the wait statement; the engine then closes its tables and ends. False when it does not respond. */
  async endWait(): Promise<boolean> {
    const kill = `KILL QUERY WHERE query LIKE '%${this.mark}%' AND user = '' ASYNC`;
    return (await this.execute(kill)) !== undefined;
  }

  /** The result as text; undefined when the engine does not respond. */
  private async execute(statement: string): Promise<string | undefined> {
    const { user, password } = this.credentials;
    try {
      const response = await fetch(this.url, {
        method: 'POST',
        body: statement,
        headers: { 'X-ClickHouse-User': user, 'X-ClickHouse-Key': password },
        signal: AbortSignal.timeout(2000),
      });
      return response.ok ? await response.text() : undefined;
    } catch (error) {
      process.stderr.write(`ClickHouse did not respond while stopping: ${String(error)}\n`);
      return undefined;
    }
  }
}
