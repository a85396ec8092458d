// The versions of the published clients that the conformance tests run.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = new URL('../../', import.meta.url);
export const REQUIREMENTS = fileURLToPath(
  new URL('test/conformance/python/requirements.txt', root),
);

const pinned = {
  python: () => /^weave==(.+)$/m.exec(readFileSync(REQUIREMENTS, 'utf8'))[1],
  typescript: () =>
    JSON.parse(readFileSync(new URL('package.json', root), 'utf8')).devDependencies.weave,
};

const newest = {
  python: () =>
    /^weave \((.+)\)/m.exec(output('python3', ['-m', 'pip', 'index', 'versions', 'weave']))[1],
  typescript: () => output('npm', ['view', 'weave', 'version']).trim(),
};

/** The version that `SDK_PYTHON` or `SDK_TYPESCRIPT` names, where `newest` is the one of the registry. Undefined for the pinned one. */
export function otherVersion(sdk, named = process.env[`SDK_${sdk.toUpperCase()}`]) {
  if (!named) return undefined;
  const version = named === 'newest' ? newest[sdk]() : named;
  const isPinned = version === pinned[sdk]();
  console.log(`\nThe ${sdk} client: ${version}${isPinned ? ', which is the pinned one' : ''}.`);
  return isPinned ? undefined : version;
}

function output(command, args) {
  const { stdout, status, error } = spawnSync(command, args, { encoding: 'utf8' });
  if (error || status !== 0) throw new Error(`\`${command} ${args.join(' ')}\` failed.`);
  return stdout;
}
