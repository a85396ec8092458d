// The metrics of the code, for docs/reference/metrics.md and for the checks of alerts and dashboards.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOTS = ['apps', 'libs'];
const TEXT = /'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"/;
/** A name, and after it the help: as arguments, as a member, as a constant, or as options of the client library. */
const METRIC = new RegExp(
  String.raw`(?:(\w+)(?:<[^>]*>)?\(\s*)?(?:name: )?'?\b(heddle_[a-z_]+)\b'?(?:,| =|:)\s*(?:help: )?(?:${TEXT.source})(?:,\s*(?:labelNames: )?\[([^\]]*)\])?`,
  'g',
);
const TYPES = { counter: 'counter', seconds: 'histogram', sizes: 'histogram' };

/** Every metric with its type, labels and help, by name. */
export function metricsOf(root) {
  const metrics = new Map();
  for (const file of sources(root)) {
    for (const [, call, name, single, double, labels = ''] of readFileSync(file, 'utf8').matchAll(
      METRIC,
    )) {
      const help = (single ?? double).replaceAll(/\\(.)/g, '$1');
      const names = [...labels.matchAll(/'(\w+)'/g)].map(([, label]) => label);
      metrics.set(name, { name, type: TYPES[call] ?? 'gauge', labels: names, help });
    }
  }
  return [...metrics.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function sources(root) {
  return ROOTS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true })
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.spec.ts'))
      .map((name) => join(root, folder, name)),
  );
}

/** docs/reference/metrics.md */
export function metricsReference(root) {
  const rows = metricsOf(root).map(
    ({ name, type, labels, help }) =>
      `| \`${name}\` | ${type} | ${labels.map((label) => `\`${label}\``).join(', ') || '–'} | ${help} |`,
  );
  return `# Metrics

Generated from the code by \`npm run docs\`.

Every process serves its metrics at \`/metrics\` without a key, for Prometheus; the gateway does not pass them on. Names begin with
\`heddle_\`; times are in seconds and sizes in bytes. The process itself is described by the metrics of Node (\`process_*\`,
\`nodejs_*\`). Values of the queue and the ledger are the same in every process: take one of them, and add up the others. The page of
standalone also has the metrics of its worker, with the label \`process="worker"\`, and those of its child processes. A scrape
reads counters, so its cost does not depend on the amount of waiting work.

Labels have a bounded number of values: an operation is a route and never a path, and no label has a project, an op or a user.

[rules.yml](../../deploy/prometheus/rules.yml) has alerts for them, and [heddle.json](../../deploy/grafana/heddle.json) a dashboard.

| Name | Type | Labels | Meaning |
| --- | --- | --- | --- |
${rows.join('\n')}
`;
}
