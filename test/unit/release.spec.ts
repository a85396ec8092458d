import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { releaseNotes } from '../../scripts/release-notes.mjs';

interface Form {
  name: string;
  description: string;
  body: { type: string; id?: string; attributes: { label?: string; value?: string } }[];
}

const root = new URL('../../', import.meta.url);
const text = (path: string) => readFileSync(new URL(path, root), 'utf8');
const manifest = JSON.parse(text('package.json')) as Record<
  'version' | 'repository' | 'bugs',
  string
>;
const matches = (page: string, pattern: RegExp) =>
  [...page.matchAll(pattern)].map(([, one]) => one);

describe('CHANGELOG.md', () => {
  const page = text('CHANGELOG.md');
  const sections = page.split(/^(?=## )/m).slice(1);

  it('begins with the unreleased changes and then the version of package.json', () => {
    const [unreleased, newest] = matches(page, /^## (.+)$/gm);

    expect(unreleased).toBe('[Unreleased]');
    expect(newest).toMatch(/^\[\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d$/);
    expect(newest).toContain(`[${manifest.version}]`);
  });

  it.each(sections)('has known headings, each once and in one order: %#', (section) => {
    const known = ['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security'];
    const headings = matches(section, /^### (.+)$/gm);

    expect(headings).toEqual(known.filter((heading) => headings.includes(heading)));
  });

  it('has release notes for the version', () => {
    const script = new URL('scripts/release-notes.mjs', root).pathname;
    const { status, stdout } = spawnSync(process.execPath, [script, `v${manifest.version}`]);

    expect(status).toBe(0);
    expect(stdout.toString()).toContain('\n### Added\n');
  });
});

describe('the notes of a release', () => {
  const page =
    '# Changelog\n\n## [Unreleased]\n\n## [0.2.0] - 2026-12-01\n\n### Added\n\n- A thing.\n\n## [0.1.0] - 2026-11-15\n';

  it('are the section of its version', () => {
    expect(releaseNotes(page, '0.2.0')).toBe('### Added\n\n- A thing.');
  });

  it('are refused for a version without a section', () => {
    expect(() => releaseNotes(page, '0.3.0')).toThrow('no dated section "## [0.3.0] - …"');
  });

  it('are refused for a section that is empty', () => {
    expect(() => releaseNotes(page, '0.1.0')).toThrow('says nothing about 0.1.0');
  });

  it('are refused for a tag that is not the version of package.json', () => {
    const script = new URL('scripts/release-notes.mjs', root).pathname;
    const { status, stderr } = spawnSync(process.execPath, [script, 'v99.0.0']);

    expect(status).toBe(1);
    expect(stderr.toString()).toContain(`tag v${manifest.version}`);
  });
});

describe('the pages for contributors', () => {
  it('name one repository', () => {
    const [, repository] = /^github:([\w-]+\/[\w-]+)$/.exec(manifest.repository) ?? [];

    expect(manifest.bugs).toBe(`https://github.com/${repository}/issues`);
  });

  it('have one checklist in CONTRIBUTING.md and in the template of a pull request', () => {
    const checklist = matches(text('CONTRIBUTING.md'), /^- (.+\?)$/gm);
    const template = matches(text('.github/pull_request_template.md'), /^- \[ \] (.+\?)$/gm);

    expect(checklist.length).toBeGreaterThan(3);
    expect(template).toEqual(checklist);
  });

  it.each(['SECURITY.md', 'CODE_OF_CONDUCT.md'])('link to the hosting platform from %s', (path) => {
    expect(text(path)).toContain('hosting platform');
    expect(text(path)).not.toMatch(/\S@\S|to be set/);
  });
});

describe('the issue templates', () => {
  const FOLDER = '.github/ISSUE_TEMPLATE/';
  const forms = readdirSync(new URL(FOLDER, root)).filter((name) => name !== 'config.yml');

  it('are one for bugs and one for features', () => {
    expect(forms.sort()).toEqual(['bug.yml', 'feature.yml']);
  });

  it.each(forms)('have a name, a description and fields with labels: %s', (name) => {
    const form = parse(text(`${FOLDER}${name}`)) as Form;
    const fields = form.body.filter(({ type }) => type !== 'markdown');

    expect([typeof form.name, typeof form.description]).toEqual(['string', 'string']);
    expect(new Set(fields.map(({ id }) => id)).size).toBe(fields.length);
    for (const { attributes } of fields) expect(attributes.label).toBeTruthy();
  });
});
