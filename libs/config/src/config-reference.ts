import type { Setting } from './setting.js';
import { SETTINGS } from './settings.js';

/** The text of docs/reference/configuration.md. */
export function configReference(): string {
  const rows = Object.entries<Setting<unknown>>(SETTINGS).map(
    ([name, { accepts, fallback, about }]) =>
      `| \`${name}\` | ${accepts} | ${shown(fallback)} | ${about} |`,
  );
  return [
    '# Configuration',
    '',
    'Heddle is configured by its environment, read once at start. Every problem is reported at once, and a',
    'variable that begins with `HEDDLE_` and is not listed here is one of them. An empty value counts as not set.',
    '`npm run docs` writes this page from `libs/config/src/settings.ts`.',
    '',
    '| Variable | Accepts | Default | What it does |',
    '| --- | --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
}

function shown(fallback: unknown): string {
  return fallback === '' ? 'empty' : `\`${String(fallback)}\``;
}
