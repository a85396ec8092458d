// Does what docs/operations/first-hour.md says: runs its `bash` blocks, one after the other, in one shell.
// `npm run test:first-hour`, as root, on a machine of its own or a container: it uses the ports of the page.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const page = readFileSync(join(root, 'docs/operations/first-hour.md'), 'utf8');
const blocks = [...page.matchAll(/^## (.*)$|^```bash\n([^]*?)^```$/gm)];
const script = blocks.map(([, heading, commands]) =>
  heading === undefined ? commands : `echo; echo ${quoted(`== ${heading}`)} "($SECONDS s)"\n`,
);

const home = mkdtempSync(join(tmpdir(), 'heddle-first-hour-'));
const file = join(home, 'first-hour.sh');
// The page's last block ends everything. When a command fails before it, the trap does.
writeFileSync(
  file,
  `set -euo pipefail\ntrap 'stop_all 2>/dev/null || true' EXIT\n${script.join('')}`,
);
const shell = spawn('bash', [file], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, HEDDLE: join(home, 'heddle') },
});
const code = await new Promise((resolve) => shell.once('exit', resolve));
console.log(code === 0 ? 'Every command of the page succeeded.' : `The page failed with ${code}.`);
if (code === 0) rmSync(home, { recursive: true, force: true });
process.exitCode = code ?? 1;

function quoted(text) {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
