// The words that this project replaced by the field's own. `node test/support/vocabulary.mjs [path …]` lists where one of
// them is left; test/unit/vocabulary.spec.ts keeps the list empty.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Each word or phrase, in any case and number, with what to write instead. */
export const WORDS = {
  'questions?': 'query',
  'ask(s|ed|ing)?': 'query, request, send, execute',
  'answer(s|ed|ing)?': 'response, respond, return, reply',
  '(?<!dead[- ])letters?': 'dead letter',
  'bur(y|ied|ies|ying)': 'dead-letter, dead-lettered',
  'sign(s|ed|ing)? for': 'record the receipt of',
  'doubt(s|ed|ful)?': 'undecided',
  'guess(es|ed|ing|able)?': 'prefilter',
  'no idea': 'ALWAYS_UNDECIDED',
  'stretch(es|ed)?': 'window, range',
  'touch(es|ed|er|ing)?': 'claim, claimant; access; change',
  'held(?! (by|lock))': 'awaiting start; in memory; stored',
  'floods?|flooded|flooding': 'bulk queue, burst',
  'right of way': 'priority',
  'gives? way|giving way|gave way': 'yield',
  away: 'unavailable; disconnected; removed',
  'moments?': 'timestamp, time',
  'instants?': 'timestamp',
  'houses?': 'server, instance',
  'rooms?': 'library, app',
  'doors?': 'dependency rule, public API',
  'doorkeepers?|key ?rings?|key ?books?': 'Authenticator, KeyCache, ApiKeyStore',
  'standstill|nightly|sweeping': 'StallDetector, RetentionJob, RepairJob',
  'second opinions?': 'oracle, differential test',
  hostile: 'malformed',
  'dear(er|est)?': 'expensive',
  anew: 'again',
  'so many|as many': 'N',
  'somebody|somebody else|nobody|whoever|anybody|everybody': 'name the actor',
  'for ever': 'indefinitely',
  'under way': 'in progress',
  besides: 'also',
};

/** Where such a word is right: the file (a pattern) and the text around it. */
const EXCEPTIONS = [
  // Payloads of tests are what users send: a data set of questions and answers.
  { file: /^test\/(conformance|wire)\//, text: /question|answer/i },
  // Letters of an alphabet.
  { file: /^(libs\/contracts|apps\/ingest)\//, text: /letters, digits/i },
  // A lock is held.
  { file: /^libs\/embedded\//, text: /LockHeldError/ },
  // Files of that build, which the fixture of the upgrade test is made with.
  { file: /^test\/upgrade\/make-fixture\.mjs$/, text: /startHouse|load-house/ },
  // A key of builds before version 0.1.0.
  { file: /orphan-job\.ts$|queue\.int-spec\.ts$/, text: /'held'|:held`/ },
  // An applied migration is never edited: its checksum covers the comments too.
  { file: /^libs\/clickhouse\/migrations\//, text: /./ },
];

const FILES =
  /^(apps|libs|docs|test|scripts|deploy|README\.md|ARCHITECTURE\.md|CONTRIBUTING\.md|SECURITY\.md)/;
const TEXT = /\.(ts|tsx|mjs|cjs|py|md|sql|yml|yaml|conf|lua|sh)$/;
const SELF = /vocabulary\.(mjs|spec\.ts)$/;
const PATTERN = new RegExp(`(?<![a-z])(${Object.keys(WORDS).join('|')})(?![a-z])`, 'gi');

/** `fooBarBaz` and `foo_bar-baz` as `foo Bar Baz`, at the same places but for the blanks that are added. */
const apart = (line) =>
  line
    .replace(/clickHouse/gi, 'clickhouse')
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/_/g, ' ');

export function violations(paths = []) {
  const files = execFileSync('git', ['ls-files', '--', ...paths], { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((file) => FILES.test(file) && TEXT.test(file) && !SELF.test(file));
  return files.flatMap((file) => [...inName(file), ...inText(file)]);
}

function inName(file) {
  return [...apart(file).matchAll(PATTERN)].map(([word]) => `${file}: the name says "${word}"`);
}

function inText(file) {
  const lines = readFileSync(join(root, file), 'utf8').split('\n');
  return lines.flatMap((line, index) => {
    const isException = EXCEPTIONS.some(
      ({ file: where, text }) => where.test(file) && text.test(line),
    );
    if (isException) return [];
    return [...apart(line).matchAll(PATTERN)].map(
      ([word]) => `${file}:${index + 1}: "${word}": ${line.trim().slice(0, 120)}`,
    );
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const found = violations(process.argv.slice(2));
  for (const line of found) console.log(line);
  console.log(`${found.length} left`);
  process.exitCode = found.length > 0 ? 1 : 0;
}
