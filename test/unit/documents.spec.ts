import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from '../support/processes.js';

const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
}).split('\n');
const text = (page: string) => readFileSync(join(root, page), 'utf8');
const pages = files.filter((file) => /^([A-Z_]+|docs\/.+)\.md$/.test(file) && existsSync(file));

/** Targets inside the repository, without their anchors. */
const linksOf = (page: string) =>
  [...text(page).matchAll(/\]\(([^)#\s]+)[^)]*\)/g)]
    .map(([, target]) => target!)
    .filter((target) => !target.includes('://'));

/** Names that a document uses for a file of the reader. */
const EXAMPLES = ['x.ts', 'x.spec.ts', 'first.mjs'];

/** `libs/wire/src/json-shape.ts`, `test/bench`, `json-shape.ts`: whole words in backticks, no patterns. */
const sourcesOf = (page: string) =>
  [...text(page).matchAll(/`([\w./-]+)`/g)]
    .map(([, source]) => source!)
    .filter(
      (source) =>
        /^(apps|libs|test|scripts|deploy|docs)\//.test(source) || /\w\.(ts|mjs|sql)$/.test(source),
    )
    .filter((source) => !EXAMPLES.includes(source));

const isThere = (source: string) =>
  existsSync(join(root, source)) || files.some((file) => file.endsWith(`/${source}`));

describe.each(pages)('The document %s', (page) => {
  it('links to files that exist', () => {
    const broken = linksOf(page).filter((target) => !existsSync(join(root, dirname(page), target)));

    expect(broken).toEqual([]);
  });

  it('names source files that exist', () => {
    expect(sourcesOf(page).filter((source) => !isThere(source))).toEqual([]);
  });
});

describe('docs/glossary.md', () => {
  it('has at most twenty words', () => {
    const words = text('docs/glossary.md').match(/^\| \*\*/gm) ?? [];

    expect(words.length).toBeGreaterThan(0);
    expect(words.length).toBeLessThanOrEqual(20);
  });
});

describe('docs/how-to/migrate-from-weave.md', () => {
  it('names the versions of the SDKs that the tests run', () => {
    const python = /^weave==(.+)$/m.exec(text('test/conformance/python/requirements.txt'))![1]!;
    const typescript = JSON.parse(text('package.json')).devDependencies.weave as string;

    expect(text('docs/how-to/migrate-from-weave.md')).toContain(
      `the Python SDK ${python} and the TypeScript SDK ${typescript}`,
    );
  });
});
