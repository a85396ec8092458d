import type { Setting } from './setting.js';
import { SETTINGS } from './settings.js';

/** The text of docs/reference/configuration.md. */
export function configReference(): string {
  const rows = Object.entries<Setting<unknown>>(SETTINGS).map(
    ([name, { accepts, fallback, about }]) =>
      `| \`${name}\` | ${accepts} | ${defaultText(fallback)} | ${about} |`,
  );
  return [
    '# Configuration',
    '',
    'Heddle reads its configuration from environment variables, once at startup. It reports all problems together.',
    'An unknown variable that starts with `HEDDLE_` is a problem too. An empty value counts as not set.',
    '`npm run docs` writes this page from `libs/config/src/settings.ts`.',
    '',
    '| Variable | Accepts | Default | What it does |',
    '| --- | --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
}

function defaultText(fallback: unknown): string {
  return String(fallback) === '' ? 'empty' : `\`${String(fallback)}\``;
}
