// Installs another version of the TypeScript client than the pinned one, once for each version.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { otherVersion } from './sdk-versions.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The directory whose client the programs import. Undefined for the pinned client. */
export function makeTypeScript() {
  const version = otherVersion('typescript');
  if (version === undefined) return undefined;
  const place = join(root, '.cache', `typescript-${version}`);
  if (!existsSync(place)) install(place, version);
  return place;
}

function install(place, version) {
  const unfinished = `${place}-${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  try {
    writeFileSync(join(unfinished, 'package.json'), '{"private":true}');
    const args = ['install', '--silent', '--no-audit', '--no-fund', `weave@${version}`];
    const { status } = spawnSync('npm', args, { cwd: unfinished, stdio: 'inherit' });
    if (status !== 0) throw new Error(`npm ended with ${status}.`);
    renameSync(unfinished, place);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}
