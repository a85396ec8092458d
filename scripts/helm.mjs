#!/usr/bin/env node
// Checks the Helm chart: `helm lint`, then `helm template` for every example, compared with deploy/helm/golden.
//   npm run test:helm             with `helm` on the PATH, or HELM set to a binary
//   npm run test:helm -- --write  replaces the golden files
// Without helm, it is built by `go install`, which takes minutes; so `npm test` does not run this. With `kubeconform` on the
// PATH, or KUBECONFORM set, the manifests are also checked against the schemas of Kubernetes, which it downloads.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const HELM = 'helm.sh/helm/v3/cmd/helm@v3.22.0';
const chart = fileURLToPath(new URL('../deploy/helm/heddle', import.meta.url));
const golden = fileURLToPath(new URL('../deploy/helm/golden', import.meta.url));
const examples = join(chart, 'examples');
/** A helm that was built by `go install` takes itself for one of an old Kubernetes. */
const TEMPLATE = ['template', 'demo', chart, '--kube-version', '1.32.0'];
const isWriting = process.argv.includes('--write');

/** The routes are in files/nginx.conf, which `npm run docs` writes and a unit test checks. */
const withoutRoutes = (text) =>
  text
    .replace(/nginx\.conf: \|\n(( {4}.*)?\n)+/, 'nginx.conf: files/nginx.conf\n')
    .replace(/checksum\/config: \w+/, 'checksum/config: of files/nginx.conf');

function run(command, args, options = {}) {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    encoding: 'utf8',
    maxBuffer: 1 << 26,
    ...options,
  });
  return { isDone: status === 0, text: `${stdout ?? ''}${stderr ?? ''}${error ?? ''}`, stdout };
}

const isThere = (command) => run(command, ['version']).isDone;

/** Builds helm into the user's cache, once. */
function builtHelm() {
  const directory = join(homedir(), '.cache', 'heddle', 'helm-3.22.0');
  const binary = join(directory, 'helm');
  if (existsSync(binary)) return binary;
  console.log(`Building ${HELM} …`);
  mkdirSync(directory, { recursive: true });
  const built = run('go', ['install', HELM], { env: { ...process.env, GOBIN: directory } });
  if (built.isDone) return binary;
  console.error(`Install helm, or Go to build it, and run this again.\n${built.text}`);
  process.exit(1);
}

const helm = process.env.HELM || (isThere('helm') ? 'helm' : builtHelm());
const kubeconform = process.env.KUBECONFORM || (run('kubeconform', ['-v']).isDone && 'kubeconform');

let [passed, failed] = [0, 0];
function report(what, isPassed, text) {
  if (isPassed) passed++;
  else failed++;
  console.log(`${isPassed ? 'passed' : 'FAILED'}  ${what}${isPassed ? '' : `\n${text}`}`);
}

for (const file of readdirSync(examples).sort()) {
  const values = join(examples, file);
  const lint = run(helm, ['lint', '--strict', chart, '--values', values]);
  report(`lint ${file}`, lint.isDone, lint.text);

  const args = [...TEMPLATE, '--namespace', 'traces', '--values', values];
  const rendered = run(helm, args);
  const manifests = withoutRoutes(rendered.stdout ?? '');
  const path = join(golden, file);
  if (isWriting && rendered.isDone) {
    mkdirSync(golden, { recursive: true });
    writeFileSync(path, manifests);
  }
  const isSame = existsSync(path) && readFileSync(path, 'utf8') === manifests;
  const hint = `${rendered.isDone ? 'The manifests differ from' : rendered.text} ${path}`;
  report(`template ${file}`, rendered.isDone && isSame, hint);

  if (!kubeconform) continue;
  const flags = ['-strict', '-summary', '-ignore-missing-schemas'];
  const checked = run(kubeconform, flags, { input: rendered.stdout });
  report(`kubeconform ${file}`, checked.isDone, checked.text);
}

const refused = [
  ['without the address of ClickHouse', [], /Set clickhouse\.url/],
  ['a value that does not exist', ['--set', 'ingest.replica=3'], /replica/],
  ['a setting in lower case', ['--set', 'settings.log_level=info'], /log_level/],
];
for (const [what, args, sentence] of refused) {
  const { isDone, text } = run(helm, [...TEMPLATE, ...args]);
  report(`refuses ${what}`, !isDone && sentence.test(text), text);
}
if (!kubeconform)
  console.log('kubeconform is not installed; the schemas of Kubernetes were not checked.');
console.log(`\n${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
