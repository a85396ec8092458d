import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commitProblems, TYPES } from '../../scripts/commits.mjs';

const script = new URL('../../scripts/commits.mjs', import.meta.url).pathname;
const problemsOf = (subject: string) => commitProblems({ parents: ['a'], subject });

describe('the check of a commit', () => {
  it.each([
    'feat(worker): write a retried job alone',
    'fix(query-language): name the wrong operand',
    'docs: say how to report a vulnerability',
    'feat(http)!: rename the error codes',
  ])('accepts "%s"', (subject) => {
    expect(problemsOf(subject)).toEqual([]);
  });

  it.each([
    'write a retried job alone',
    'Feat(worker): write a retried job alone',
    'feat(worker):write a retried job alone',
    'feat(worker, queue): write a retried job alone',
    'feat(worker): ',
    'fixup! feat(worker): write a retried job alone',
  ])('refuses a subject of another form: "%s"', (subject) => {
    expect(problemsOf(subject)).toContain('does not have the form "type(scope): effect"');
  });

  it('refuses a type that is not in the list', () => {
    expect(problemsOf('feature(worker): write alone')).toEqual(['has the unknown type "feature"']);
  });

  it('refuses a subject of 72 characters and accepts one of 71', () => {
    const subject = (length: number) => 'fix: '.padEnd(length, 'x');

    expect(problemsOf(subject(72))).toEqual(['has 72 characters, not under 72']);
    expect(problemsOf(subject(71))).toEqual([]);
  });

  it('refuses a full stop at the end', () => {
    expect(problemsOf('fix: write a retried job alone.')).toEqual(['ends with a full stop']);
  });

  it('refuses a merge commit, whatever its subject says', () => {
    expect(commitProblems({ parents: ['a', 'b'], subject: 'feat: merge' })).toEqual([
      'is a merge commit; rebase the branch instead',
    ]);
  });

  it('knows the types that CONTRIBUTING.md lists', () => {
    const page = readFileSync(new URL('../../CONTRIBUTING.md', import.meta.url), 'utf8');

    expect(page.replaceAll('\n', ' ')).toContain(TYPES.map((type) => `\`${type}\``).join(', '));
  });
});

describe('the check of a range', () => {
  let repository: string;
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.invalid', ...args], {
      cwd: repository,
      encoding: 'utf8',
    });
  const commit = (subject: string) => {
    git('commit', '--quiet', '--allow-empty', '--message', subject);
    return git('rev-parse', '--short', 'HEAD').trim();
  };
  const check = (...args: string[]) =>
    spawnSync(process.execPath, [script, ...args], { cwd: repository, encoding: 'utf8' });

  beforeEach(() => {
    repository = mkdtempSync(join(tmpdir(), 'heddle-commits-'));
    git('init', '--quiet', '--initial-branch', 'main');
    commit('history from before the rule');
    git('checkout', '--quiet', '-b', 'change');
  });
  afterEach(() => rmSync(repository, { recursive: true, force: true }));

  it('does not check commits before the range', () => {
    commit('feat: add a thing');

    const { status, stdout } = check();
    expect([status, stdout]).toEqual([0, 'Commits in main..HEAD: 1. Problems: 0.\n']);
  });

  it('names every bad commit, oldest first, and fails', () => {
    const first = commit('add a thing');
    commit('feat: add another');
    const last = commit('feat: add a third.');

    const { status, stderr } = check('main..change');
    expect(status).toBe(1);
    expect(stderr.split('\n').slice(0, 2)).toEqual([
      `${first} does not have the form "type(scope): effect": add a thing`,
      `${last} ends with a full stop: feat: add a third.`,
    ]);
  });

  it('finds a merge commit', () => {
    commit('feat: add a thing');
    git('checkout', '--quiet', 'main');
    commit('fix: something else');
    git('checkout', '--quiet', 'change');
    git('merge', '--quiet', '--message', 'feat: take main in', 'main');

    const { status, stderr } = check();
    expect(status).toBe(1);
    expect(stderr).toContain('is a merge commit');
  });

  it('fails on a range that git does not know', () => {
    const { status, stderr } = check('nowhere..HEAD');

    expect(status).toBe(1);
    expect(stderr).toContain('git cannot list the commits of nowhere..HEAD');
  });
});
