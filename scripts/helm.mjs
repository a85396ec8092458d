#!/usr/bin/env node
// Checks the Helm chart: `helm lint`, then `helm template` for every example, compared with deploy/helm/golden.
//   npm run test:helm             with `helm` on the PATH, or HELM set to a binary
//   npm run test:helm -- --write  replaces the golden files
// Helm and kubeconform are taken from the PATH, or from HELM and KUBECONFORM; otherwise they are built by `go install`, helm in
// minutes, so `npm test` does not run this. The schemas of Kubernetes come from Go modules: see kubernetes-schemas.mjs.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { program, run } from './go-programs.mjs';
import { KUBERNETES, schemaLocation } from './kubernetes-schemas.mjs';

const chart = fileURLToPath(new URL('../deploy/helm/heddle', import.meta.url));
const golden = fileURLToPath(new URL('../deploy/helm/golden', import.meta.url));
const examples = join(chart, 'examples');
/** A helm that was built by `go install` takes itself for one of an old Kubernetes. */
const TEMPLATE = ['template', 'demo', chart, '--kube-version', KUBERNETES];
const isWriting = process.argv.includes('--write');

/** The routes are in files/nginx.conf, which `npm run docs` writes and a unit test checks. */
const withoutRoutes = (text) =>
  text
    .replace(/nginx\.conf: \|\n(( {4}.*)?\n)+/, 'nginx.conf: files/nginx.conf\n')
    .replace(/checksum\/config: \w+/, 'checksum/config: of files/nginx.conf');

const helm = program('helm.sh/helm/v3/cmd/helm@v3.22.0', 'version');
const kubeconform = program('github.com/yannh/kubeconform/cmd/kubeconform@v0.6.7', '-v');
const schemas = schemaLocation();

/** Every manifest needs a schema. */
const conformance = (manifests) =>
  run(kubeconform, ['-strict', '-summary', '-schema-location', schemas], { input: manifests });

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

  const checked = conformance(rendered.stdout ?? '');
  report(`kubeconform ${file}`, checked.isDone && / Valid: [1-9]/.test(checked.text), checked.text);
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
// The check itself: a manifest with one misspelled field, and one with a value of the wrong type, for each kind of schema.
const everything = run(helm, [...TEMPLATE, '--values', join(examples, 'autoscaled.yaml')]).stdout;
const damages = [
  [
    'a misspelled field of a Deployment',
    /terminationGracePeriodSeconds:/,
    'terminationGracePeriod:',
  ],
  ['a word as the port of a Service', /port: 8\d+\n/, 'port: { a: b }\n'],
  ['a misspelled field of a ScaledObject', /scaleTargetRef:/, 'scaleTarget:'],
  ['a misspelled field of a ServiceMonitor', /endpoints:/, 'endpoint:'],
];
for (const [what, pattern, damage] of damages) {
  const damaged = everything.replaceAll(new RegExp(pattern, 'g'), damage);
  const { isDone, text } = conformance(damaged);
  report(`kubeconform refuses ${what}`, damaged !== everything && !isDone, text);
}
console.log(`\n${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
