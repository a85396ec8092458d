import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

interface Manifest {
  dependencies: Record<string, string>;
  optionalDependencies: Record<string, string>;
  devDependencies: Record<string, string>;
}

interface Locked {
  optionalDependencies?: Record<string, string>;
  integrity?: string;
  hasInstallScript?: boolean;
  optional?: boolean;
  dev?: boolean;
  devOptional?: boolean;
}

interface Lockfile {
  packages: Record<string, Locked>;
}

const root = new URL('../../', import.meta.url);
const nameOf = (path: string) => path.slice(path.lastIndexOf('node_modules/') + 13);
const text = (path: string) => readFileSync(new URL(path, root), 'utf8');

describe('docs/dependencies.md', () => {
  const manifest = JSON.parse(text('package.json')) as Manifest;
  const page = text('docs/dependencies.md');
  const section = (title: string) =>
    page.split(/^## /m).find((part) => part.startsWith(title)) ?? '';
  const reasons = (title: string) =>
    [...section(title).matchAll(/^- `([^`]+)`: (.+)$/gm)].map(([, name, reason]) => ({
      name,
      reason,
    }));

  it.each([
    ['At run time', manifest.dependencies],
    ['Optional', manifest.optionalDependencies],
    ['For development', manifest.devDependencies],
  ])('gives a reason for each package, and for no other: %s', (title, packages) => {
    expect(reasons(title).map(({ name }) => name)).toEqual(Object.keys(packages));
  });
});

describe('package-lock.json', () => {
  const { packages } = JSON.parse(text('package-lock.json')) as Lockfile;

  it('lists the optional packages of every platform, without which npm ci fails', () => {
    const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter(
        (name) => !packages[`${path}/node_modules/${name}`] && !packages[`node_modules/${name}`],
      ),
    );

    expect(missing).toEqual([]);
  });

  it('has the hash of every package, except of those for other platforms whose hash is not known', () => {
    const unknown =
      /^(@chdb\/lib|@msgpackr-extract\/msgpackr-extract|@rolldown\/binding|@swc\/core|@unrs\/resolver-binding)-(?!linux-x64-gnu|linux-x64$)/;
    const without = Object.entries(packages).filter(([path, { integrity }]) => path && !integrity);

    expect(
      without.filter(([path, { optional }]) => !optional || !unknown.test(nameOf(path))),
    ).toEqual([]);
  });

  it('has install scripts only of packages that docs/dependencies.md lists', () => {
    const withScripts = Object.keys(packages).filter((path) => packages[path]?.hasInstallScript);
    const [, section = ''] = text('docs/dependencies.md').split('## Install scripts');
    const listed = [...section.matchAll(/^- `([^`]+)`: .+$/gm)].map(([, name]) => name);

    expect(withScripts.map(nameOf).sort()).toEqual(listed);
  });

  it('makes a bill of materials of exactly the packages at run time', () => {
    const { stdout } = spawnSync(process.execPath, ['scripts/sbom.mjs'], {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 16 * 1024 * 1024,
    });
    const { bomFormat, components } = JSON.parse(stdout) as {
      bomFormat: string;
      components: { name: string }[];
    };
    const atRunTime = Object.entries(packages).filter(
      ([path, { dev, devOptional }]) => path && !dev && !devOptional,
    );

    expect(bomFormat).toBe('CycloneDX');
    expect(new Set(components.map(({ name }) => name))).toEqual(
      new Set(atRunTime.map(([path]) => nameOf(path))),
    );
  }, 30_000);

  it('names no registry', () => {
    expect(text('package-lock.json')).not.toContain('"resolved"');
  });
});
