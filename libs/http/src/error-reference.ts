import { PROBLEMS } from './problems.js';

/** The text of docs/reference/errors.md. */
export function errorReference(): string {
  const rows = Object.entries(PROBLEMS)
    .sort(([, a], [, b]) => a.status - b.status)
    .map(([code, { status, sentence }]) => `| ${status} | \`${code}\` | ${sentence} |`);
  return [
    '# Errors',
    '',
    'A refusal is JSON: `reason` is a sentence for people, `error_code` a stable code for programs. A body that does',
    'not match its schema gets 422 and a list in `detail` with the place (`loc`) and the reason (`msg`); an unknown',
    'route gets 404 and `{"detail":"Not Found"}`. 429 and 503 have `Retry-After`, and a retry is safe.',
    '`npm run docs` writes this page from `libs/http/src/problems.ts`.',
    '',
    '| Status | `error_code` | Meaning |',
    '| --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
}
