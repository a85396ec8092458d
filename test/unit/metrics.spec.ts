import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { metricsOf, metricsReference } from '../../scripts/metrics-reference.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const text = (path: string) => readFileSync(`${root}${path}`, 'utf8');
const known = new Set(metricsOf(root).map(({ name }) => name));
const PAGES = 'docs/operations/alerts/';

/** The names without what Prometheus appends to those of histograms. */
const namesIn = (of: string) =>
  [...of.matchAll(/\bheddle_[a-z_]+\b/g)].map(([name]) => name.replace(/_(bucket|sum|count)$/, ''));

interface Rules {
  readonly groups: readonly {
    readonly rules: readonly {
      readonly alert: string;
      readonly expr: string;
      readonly annotations: { readonly summary: string; readonly runbook_url: string };
    }[];
  }[];
}

describe('the metrics', () => {
  it('are all in docs/reference/metrics.md; run `npm run docs` when they change', () => {
    expect(known.size).toBeGreaterThan(30);
    expect(text('docs/reference/metrics.md')).toBe(metricsReference(root));
  });

  it('have no label that Prometheus sets itself', () => {
    for (const { labels } of metricsOf(root))
      for (const label of ['job', 'instance']) expect(labels).not.toContain(label);
  });

  it('have base units', () => {
    for (const name of known) expect(name).not.toMatch(/_(ms|millis|minutes|kb|mb)(_|$)/);
  });
});

describe('the alerts', () => {
  const { groups } = parse(text('deploy/prometheus/rules.yml')) as Rules;
  const rules = groups.flatMap((group) => group.rules);

  it.each(rules)('$alert uses metrics that exist', ({ expr }) => {
    const names = namesIn(expr);

    expect(names.length > 0 || expr.startsWith('up{')).toBe(true);
    expect(names.filter((name) => !known.has(name))).toEqual([]);
  });

  it.each(rules)('$alert has a page that begins with the command to run', (rule) => {
    const page = rule.annotations.runbook_url.split('/').at(-1)!;
    const lines = text(PAGES + page).split('\n');

    expect(lines[0]).toBe(`# ${rule.alert}: ${rule.annotations.summary}`);
    expect(lines[2]).toBe('```sh');
  });

  it('use every page', () => {
    const pages = rules.map(({ annotations }) => annotations.runbook_url.split('/').at(-1)!);

    expect(readdirSync(root + PAGES).sort()).toEqual([...new Set(pages)].sort());
    for (const page of pages) expect(existsSync(root + PAGES + page)).toBe(true);
  });
});

describe('the dashboard', () => {
  it('uses metrics that exist, and every panel has one', () => {
    type Dashboard = { panels: { title: string; targets: { expr: string }[] }[] };
    const { panels } = JSON.parse(text('deploy/grafana/heddle.json')) as Dashboard;
    const names = panels.flatMap(({ targets }) => targets.flatMap(({ expr }) => namesIn(expr)));

    expect(names.filter((name) => !known.has(name))).toEqual([]);
    expect(panels.filter(({ targets }) => targets.length === 0)).toEqual([]);
  });
});
