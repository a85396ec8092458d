#!/usr/bin/env node
// Prints the software bill of materials (CycloneDX) of the packages at run time, from package-lock.json. `npm sbom --omit=dev`
// leaves out packages that a development package also uses (ajv, commander and rxjs with npm 11), so this filters by itself.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const MAX_BYTES = 64 * 1024 * 1024;

const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
const nameOf = (path) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
const atRunTime = new Set(
  Object.entries(packages)
    .filter(([path, { dev, devOptional }]) => path !== '' && !dev && !devOptional)
    .map(([path, { version }]) => `${nameOf(path)}@${version}`),
);

const args = ['sbom', '--package-lock-only', '--sbom-format=cyclonedx', '--loglevel=error'];
const whole = JSON.parse(execFileSync('npm', args, { cwd: root, maxBuffer: MAX_BYTES }));
const components = whole.components.filter(({ name, version }) =>
  atRunTime.has(`${name}@${version}`),
);
const refs = new Set(components.map((component) => component['bom-ref']));
const own = whole.metadata.component['bom-ref'];
const dependencies = whole.dependencies
  .filter(({ ref }) => ref === own || refs.has(ref))
  .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((one) => refs.has(one)) }));

process.stdout.write(`${JSON.stringify({ ...whole, components, dependencies }, undefined, 2)}\n`);
