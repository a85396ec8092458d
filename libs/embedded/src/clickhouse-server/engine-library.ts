import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { StartupError } from '@app/config';
import { npmEnginePackage } from '../clickhouse-engines.js';

const LIBRARY = 'chdb';
/** `int chdb_query_cmdline(int argc, char **argv)` is the main function of `clickhouse local`. */
const LOCAL_MAIN = 'chdb_query_cmdline';

/**
 * Resolves when `clickhouse local` has ended. It runs on a thread of its own, because the engine uses the stack of the
 * thread that calls it, and because this thread has to stay free for signals.
 */
export async function runClickHouseLocal(args: readonly string[]): Promise<void> {
  const { DataType, load, open } = await import('ffi-rs');
  open({ library: LIBRARY, path: libraryFile() });
  const argv = ['clickhouse', ...args];
  await load({
    library: LIBRARY,
    funcName: LOCAL_MAIN,
    retType: DataType.I64,
    paramsType: [DataType.I32, DataType.StringArray],
    paramsValue: [argv.length, argv],
    runInNewThread: true,
  });
}

function libraryFile(): string {
  const chdb = createRequire(import.meta.url).resolve('chdb');
  const name = npmEnginePackage(process.platform, process.arch);
  const directory = dirname(createRequire(chdb).resolve(`${name}/package.json`));
  const file = ['libchdb.so', 'libchdb.dylib'].map((one) => join(directory, one)).find(existsSync);
  if (file === undefined) throw new StartupError(`${name} has no engine library; reinstall it.`);
  return file;
}
