import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, parse } from 'node:path';
import { packageRoot, version } from './package-root.js';

describe('the root of the package', () => {
  it('is the nearest directory above with a package.json', () => {
    const root = mkdtempSync(join(tmpdir(), 'heddle-root-'));
    const below = join(root, 'dist/libs/config/src');
    mkdirSync(below, { recursive: true });
    writeFileSync(join(root, 'package.json'), '{}');

    expect([packageRoot(below), packageRoot(root)]).toEqual([root, root]);
    rmSync(root, { recursive: true });
  });

  it('is found from this file', () => {
    expect(packageRoot()).toBe(process.cwd());
    expect(version()).toMatch(/^\d+\.\d+\.\d+/);
  });

  it('throws when there is no package.json', () => {
    expect(() => packageRoot(parse(process.cwd()).root)).toThrow('package.json was not found');
  });
});
