import { readFileSync } from 'node:fs';

interface Manifest {
  dependencies: Record<string, string>;
  optionalDependencies: Record<string, string>;
  devDependencies: Record<string, string>;
}

interface Lockfile {
  packages: Record<string, { optionalDependencies?: Record<string, string> }>;
}

const root = new URL('../../', import.meta.url);
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

  it('names no registry', () => {
    expect(text('package-lock.json')).not.toContain('"resolved"');
  });
});
