// Runs the ClickHouse server of the npm engine on its own, for a machine without ClickHouse:
//   CLICKHOUSE_USER=… CLICKHOUSE_PASSWORD=… node scripts/clickhouse.mjs --directory <path> --port 8123
// It listens on the loopback address. Use ClickHouse's own packages where other machines need it.
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { totalmem } from 'node:os';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { fileURLToPath } from 'node:url';

const MEMORY_SHARE = 0.35;
const dist = (path) => fileURLToPath(new URL(`../dist/libs/embedded/src/${path}`, import.meta.url));

const { values } = parseArgs({
  options: { directory: { type: 'string' }, port: { type: 'string' } },
});
const { CLICKHOUSE_USER: username, CLICKHOUSE_PASSWORD: password } = process.env;
if (!values.directory || !values.port || !username || !password) {
  console.error('Give --directory, --port, CLICKHOUSE_USER and CLICKHOUSE_PASSWORD.');
  process.exit(1);
}

const { npmEngineCommand } = await import(dist('clickhouse-command.js'));
const { keepFreeBytes } = await import(dist('full-disk-watch.js'));
const directory = resolve(values.directory);
mkdirSync(directory, { recursive: true, mode: 0o700 });
const { command, args, env } = await npmEngineCommand(dist('clickhouse-server/main.js'), {
  directory,
  port: Number(values.port),
  username,
  password,
  memoryBytes: Math.floor(totalmem() * MEMORY_SHARE),
  keepFreeBytes: await keepFreeBytes(directory),
});
// The server ends when its standard input does, so that it never outlives this process.
const server = spawn(command, args, {
  env: { ...process.env, ...env },
  stdio: ['pipe', 'inherit', 'inherit'],
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => server.kill(signal));
server.once('exit', (code) => process.exit(code ?? 1));
