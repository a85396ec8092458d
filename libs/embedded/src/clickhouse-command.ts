import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bucketEnvironment } from './cold-bucket.js';
import {
  clickHouseServerConfig,
  clickHouseUsersConfig,
  isAddress,
  npmEngineConfig,
  type ServerSettings,
} from './clickhouse-server-config.js';
import { withStdinWatch } from './stdin-watch.js';
import type { ProcessOptions } from './supervised-process.js';

/** The statements that the npm engine executes by itself: one opens the port, one waits. */
const STARTUP_STATEMENTS = 2;

type Command = Pick<ProcessOptions, 'command' | 'args' | 'env'>;

/** Starts a `clickhouse` binary as a server. */
export async function serverCommand(binary: string, settings: ServerSettings): Promise<Command> {
  const users = await writePrivate(
    settings.directory,
    'users.xml',
    clickHouseUsersConfig(settings),
  );
  const text = clickHouseServerConfig(settings, users);
  const config = await writePrivate(settings.directory, 'server.xml', text);
  return {
    ...withStdinWatch(binary, ['server', `--config-file=${config}`]),
    // Without this, the process is a watchdog and the server its child.
    env: { CLICKHOUSE_WATCHDOG_ENABLE: '0', ...bucketVariables(settings) },
  };
}

/** Starts ClickHouse's own server out of the npm engine. The directory belongs to this server alone. */
export async function npmEngineCommand(entry: string, settings: ServerSettings): Promise<Command> {
  const { directory, port, username, password } = settings;
  const usersText = clickHouseUsersConfig(settings, STARTUP_STATEMENTS);
  const users = await writePrivate(directory, 'users.xml', usersText);
  const config = await writePrivate(directory, 'server.xml', npmEngineConfig(settings, users));
  const options = {
    config,
    path: join(directory, 'engine-data'),
    'http-port': port,
    'log-file': join(directory, 'clickhouse.log'),
  };
  return {
    command: globalThis.process.execPath,
    args: [entry, ...Object.entries(options).map(([name, value]) => `--${name}=${value}`)],
    env: {
      CLICKHOUSE_SERVER_USER: username,
      CLICKHOUSE_SERVER_PASSWORD: password,
      ...bucketVariables(settings),
    },
  };
}

const bucketVariables = ({ coldDirectory = '' }: ServerSettings): Record<string, string> =>
  isAddress(coldDirectory) ? bucketEnvironment() : {};

/** A new file that only its owner may read. */
async function writePrivate(directory: string, name: string, text: string): Promise<string> {
  const file = join(directory, name);
  await rm(file, { force: true });
  await writeFile(file, text, { mode: 0o600 });
  return file;
}
