import { watch, type FSWatcher } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { hasCode } from './process-identity.js';

/** Only migrations and commands of operators change a definition. Most changes are noticed at once; this is for the others. */
const UPDATE_EVERY_MS = 5000;

/** The tables that a rebuild fills and that it creates each time that it runs. */
export const SHADOW = /_rebuild_[0-9a-f]{8}(_local)?\.sql$/;

const UUID = /\bUUID '([0-9a-f-]{36})'/;

/** The definition of a table, `metadata/<database>/<table>.sql`. */
export interface Definition {
  readonly file: string;
  /** The name of its copy. */
  readonly name: string;
  readonly text: string;
}

/** ClickHouse ends each definition with a line break. A full disk may leave only a part of one, or nothing. */
export const isWhole = ({ text }: Pick<Definition, 'text'>): boolean => text.endsWith('\n');

/**
 * Copies of the definitions of all tables. A full disk may leave a definition empty while it is changed, and ClickHouse does not start
 * then. Copies are next to the data, and are written as a whole or not at all.
 */
export class DefinitionCopies {
  private readonly directory: string;
  private timer: NodeJS.Timeout | undefined;
  /** One of each directory of a database. */
  private readonly watchers = new Map<string, FSWatcher>();
  private updating: Promise<unknown> | undefined;
  private isOutdated = false;

  constructor(private readonly dataPath: string) {
    this.directory = join(dirname(dataPath), 'definitions');
  }

  /** All definitions, those of unfinished rebuilds included. */
  async definitions(): Promise<Definition[]> {
    const metadata = join(this.dataPath, 'metadata');
    const definitions: Definition[] = [];
    for (const database of await namesIn(metadata)) {
      for (const table of await namesIn(join(metadata, database))) {
        if (!table.endsWith('.sql')) continue;
        const file = join(metadata, database, table);
        const text = await textOf(file);
        if (text !== undefined) definitions.push({ file, name: `${database}.${table}`, text });
      }
    }
    return definitions;
  }

  /** Copies what has changed, and removes copies of tables that do not exist any more. Resolves with the names of new copies. */
  async update(): Promise<readonly string[]> {
    const kept = (await this.definitions()).filter(({ file }) => !SHADOW.test(file));
    const changed: string[] = [];
    await mkdir(this.directory, { recursive: true, mode: 0o700 });
    for (const { name, text } of kept) {
      const copy = join(this.directory, name);
      if (!isWhole({ text }) || (await textOf(copy)) === text) continue;
      await writeWhole(copy, text);
      changed.push(name);
    }
    const names = new Set(kept.map(({ name }) => name));
    for (const name of await namesIn(this.directory))
      if (!names.has(name)) await rm(join(this.directory, name), { force: true });
    return changed;
  }

  /** Updates the copies when a definition changes, and every few seconds, until `stop`. */
  keep(report: (error: unknown) => void): void {
    const updated = () => void this.updateAgain().catch(report);
    const watched = () => void this.watchDatabases(updated).catch(report).then(updated);
    this.timer = setInterval(watched, UPDATE_EVERY_MS).unref();
    watched();
  }

  stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
    for (const watcher of this.watchers.values()) watcher.close();
    this.watchers.clear();
  }

  /** One update at a time. A change during an update causes another one. */
  private async updateAgain(): Promise<void> {
    this.isOutdated = true;
    if (this.updating !== undefined) return;
    try {
      while (this.isOutdated) {
        this.isOutdated = false;
        this.updating = this.update();
        await this.updating;
      }
    } finally {
      this.updating = undefined;
    }
  }

  private async watchDatabases(updated: () => void): Promise<void> {
    const metadata = join(this.dataPath, 'metadata');
    for (const database of await namesIn(metadata)) {
      if (this.timer === undefined || this.watchers.has(database)) continue;
      const watcher = watch(join(metadata, database), { persistent: false }, updated);
      // A database that was dropped. The next update looks for it again.
      watcher.on('error', () => {
        watcher.close();
        this.watchers.delete(database);
      });
      this.watchers.set(database, watcher);
    }
  }

  /**
   * Writes the copy of an empty definition in its place, and resolves to whether it could. The copy is used only if it names data of
   * which no other definition is: a table that was exchanged since the copy was made has other data.
   */
  async restore({ file, name }: Definition): Promise<boolean> {
    const text = await textOf(join(this.directory, name));
    const uuid = UUID.exec(text ?? '')?.[1];
    if (text === undefined || uuid === undefined) return false;
    if (!(await this.hasData(uuid)) || (await this.isOwned(uuid))) return false;
    await writeWhole(file, text);
    return true;
  }

  private async hasData(uuid: string): Promise<boolean> {
    const directory = join(this.dataPath, 'store', uuid.slice(0, 3), uuid);
    return (await namesIn(directory)).includes('format_version.txt');
  }

  private async isOwned(uuid: string): Promise<boolean> {
    const dropped = await namesIn(join(this.dataPath, 'metadata_dropped'));
    if (dropped.some((name) => name.includes(uuid))) return true;
    const whole = (await this.definitions()).filter(isWhole);
    return whole.some(({ text }) => UUID.exec(text)?.[1] === uuid);
  }
}

/** Nothing ever reads a part of the text, also after a crash. ClickHouse removes files with this ending. */
async function writeWhole(file: string, text: string): Promise<void> {
  const unfinished = `${file}.tmp`;
  await writeFile(unfinished, text, { mode: 0o600, flush: true });
  await rename(unfinished, file);
}

async function namesIn(directory: string): Promise<string[]> {
  return (await unlessMissing(readdir(directory))) ?? [];
}

const textOf = (file: string): Promise<string | undefined> => unlessMissing(readFile(file, 'utf8'));

/** Tables come and go while they are listed. */
async function unlessMissing<Result>(reading: Promise<Result>): Promise<Result | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR')) return undefined;
    throw error;
  }
}
