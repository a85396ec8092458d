import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { HeddleError } from '@app/errors';
import { bind, sql } from './sql.js';
import type { Store } from './store.js';
import { isServerError, storeError } from './store-errors.js';

const POLL_MS = 200;
/** ClickHouse copies something at least every few seconds; a bucket may be slow. */
const STALLED_MS = 600_000;

/** ClickHouse could not write or read a backup of tables. */
class TableBackupError extends HeddleError {
  readonly code = 'backup_failed';
}

/**
 * A directory that ClickHouse writes or reads by itself. Not an archive: the npm engine cannot write zip files, and to restore a tar
 * file of 80 MB with 1,760 files took 10.7 s instead of 0.3 s, because ClickHouse searches it from the start for every file.
 */
interface BackupDirectory {
  /** An absolute path on the disk of the ClickHouse server. */
  readonly path: string;
  /** The directory that has the files which did not change since. */
  readonly basePath?: string | undefined;
}

/** A table of a backup, and its name in the current database. */
interface RestoredTable {
  readonly database: string;
  readonly table: string;
  readonly as: string;
}

type Progress = (doneBytes: number, totalBytes: number) => void;

interface StatusRow {
  readonly status: string;
  readonly error: string;
  readonly total: number | string;
  readonly done: number | string;
}

/** Backups of tables by ClickHouse itself. A backup of a table is its state at one time. */
export class TableBackups {
  constructor(private readonly store: Store) {}

  /** Resolves when the backup is complete. An abort ends the statement in ClickHouse, too. */
  backup(
    tables: readonly string[],
    to: BackupDirectory,
    progress: Progress,
    signal: AbortSignal,
  ): Promise<void> {
    const what = tables.map((table) => `TABLE ${identifier(table)}`).join(', ');
    return this.run('BACKUP', `${what} TO`, to, progress, signal);
  }

  /** Creates the tables in the current database. Rejects when one of them exists and has rows. */
  restore(
    tables: readonly RestoredTable[],
    from: BackupDirectory,
    progress: Progress,
    signal: AbortSignal,
  ): Promise<void> {
    return this.run('RESTORE', `${targetsOf(tables)} FROM`, from, progress, signal);
  }

  /** Adds the rows to tables that exist, and have the same columns and keys. */
  restoreRows(
    tables: readonly RestoredTable[],
    from: BackupDirectory,
    progress: Progress,
    signal: AbortSignal,
  ): Promise<void> {
    const what = `${targetsOf(tables)} FROM`;
    return this.run('RESTORE', what, from, progress, signal, INTO_EXISTING);
  }

  private async run(
    verb: 'BACKUP' | 'RESTORE',
    what: string,
    directory: BackupDirectory,
    progress: Progress,
    signal: AbortSignal,
    more: readonly string[] = [],
  ): Promise<void> {
    signal.throwIfAborted();
    const id = randomUUID();
    const settings = [...settingsOf(id, directory), ...more].join(', ');
    const statement = `${verb} ${what} ${fileOf(directory.path)} SETTINGS ${settings}`;
    await this.begin(statement, directory);
    try {
      await this.ended(id, progress, signal);
    } catch (error) {
      if (signal.aborted) await this.store.endOf(id, 5000);
      throw error;
    }
  }

  /** Whatever the server's reason is, a command does not retry. */
  private async begin(statement: string, directory: BackupDirectory): Promise<void> {
    try {
      await this.store.client.command({ query: statement });
    } catch (error) {
      if (!isServerError(error)) throw storeError(error);
      throw new TableBackupError(reasonOf((error as Error).message, directory), { cause: error });
    }
  }

  private async ended(id: string, progress: Progress, signal: AbortSignal): Promise<void> {
    let [last, changedAt] = ['', Date.now()];
    for (;;) {
      const [row] = await this.store.rows<StatusRow>(statusOf(id));
      if (row === undefined)
        throw new TableBackupError('ClickHouse was restarted; run the command again.');
      const { status, error, total, done } = row;
      if (status.endsWith('_FAILED') || status.endsWith('_CANCELLED'))
        throw new TableBackupError(reasonOf(error));
      progress(Math.min(Number(done), Number(total)), Number(total));
      if (!status.startsWith('CREATING') && !status.startsWith('RESTORING')) return;
      if (last !== `${total} ${done}`) [last, changedAt] = [`${total} ${done}`, Date.now()];
      if (Date.now() - changedAt > STALLED_MS)
        throw new TableBackupError(`ClickHouse has copied nothing for ${STALLED_MS / 60_000} min.`);
      await sleep(POLL_MS, undefined, { signal });
    }
  }
}

const statusOf = (id: string) =>
  sql`SELECT toString(status) AS status, error, total_size AS total, if(bytes_read > 0, bytes_read, uncompressed_size) AS done
FROM system.backups WHERE id = ${bind('String', id)}`;

function settingsOf(id: string, { basePath }: BackupDirectory): string[] {
  const base = basePath === undefined ? [] : [`base_backup = ${fileOf(basePath)}`];
  return [`id = ${literal(id)}`, 'async = 1', ...base];
}

/** The tables of another deployment may be replicated, have another storage policy or an optional index. */
const INTO_EXISTING = ['allow_different_table_def = 1', 'allow_non_empty_tables = 1'];

const targetsOf = (tables: readonly RestoredTable[]): string =>
  tables
    .map(
      ({ database, table, as }) =>
        `TABLE ${identifier(database)}.${identifier(table)} AS ${identifier(as)}`,
    )
    .join(', ');

const fileOf = (path: string): string => `File(${literal(path)})`;

const literal = (text: string): string =>
  `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

const identifier = (name: string): string => `\`${name.replaceAll(/[\\`]/g, '\\$&')}\``;

/** One sentence, and what the operator can do about a server that may not use the directory. */
function reasonOf(message: string, directory?: BackupDirectory): string {
  const text = message.split(/\n|, Stack trace/, 1)[0]!.replace(/^Code: \d+\. DB::Exception: /, '');
  const short = text.length > 400 ? `${text.slice(0, 400)}…` : text;
  return /allowed_path|not allowed for backups/.test(message) && directory !== undefined
    ? `ClickHouse may not use ${directory.path}: add the directory to backups.allowed_path of its configuration (docs/operations/backup.md).`
    : `ClickHouse: ${short}`;
}
