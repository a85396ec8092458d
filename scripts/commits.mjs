#!/usr/bin/env node
// Checks every commit of a range, `main..HEAD` unless another is given:
//   node scripts/commits.mjs <base>..<head>
// A subject has the form `type(scope): effect` and is under 72 characters. Merge commits are refused.
// The script needs git and no packages, so CI runs it without an install.
import { spawnSync } from 'node:child_process';
import { pathToFileURL } from 'node:url';

export const TYPES = [
  'feat',
  'fix',
  'perf',
  'refactor',
  'style',
  'docs',
  'test',
  'build',
  'ci',
  'chore',
  'revert',
];
const SUBJECT_LIMIT = 72;
const SUBJECT = /^(?<type>[a-z]+)(?:\([a-z0-9-]+\))?!?: \S.*$/;

/** Every reason to refuse a commit; the list of a good commit is empty. */
export function commitProblems({ parents, subject }) {
  if (parents.length > 1) return ['is a merge commit; rebase the branch instead'];
  const { length } = [...subject];
  const type = SUBJECT.exec(subject)?.groups.type;
  const problems = [];
  if (type === undefined) problems.push('does not have the form "type(scope): effect"');
  else if (!TYPES.includes(type)) problems.push(`has the unknown type "${type}"`);
  if (length >= SUBJECT_LIMIT) problems.push(`has ${length} characters, not under 72`);
  if (subject.endsWith('.')) problems.push('ends with a full stop');
  return problems;
}

/** The commits of a range, oldest first. */
function commitsIn(range) {
  const format = '--format=%h%x00%P%x00%s';
  const args = ['log', '--reverse', format, '--end-of-options', range];
  const { status, stdout, stderr } = spawnSync('git', args, { encoding: 'utf8' });
  if (status !== 0) {
    console.error(`git cannot list the commits of ${range}: ${stderr.trim()}`);
    process.exit(1);
  }
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [hash, parents, subject] = line.split('\0');
      return { hash, parents: parents.split(' ').filter(Boolean), subject };
    });
}

function main(range = 'main..HEAD') {
  const commits = commitsIn(range);
  const problems = commits.flatMap((commit) =>
    commitProblems(commit).map((problem) => `${commit.hash} ${problem}: ${commit.subject}`),
  );
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) console.error(`Known types: ${TYPES.join(', ')}.`);
  console.log(`Commits in ${range}: ${commits.length}. Problems: ${problems.length}.`);
  process.exitCode = problems.length > 0 ? 1 : 0;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main(process.argv[2]);
