import { PROBLEMS } from './problems.js';

/** The text of docs/reference/errors.md. */
export function errorReference(): string {
  const rows = Object.entries(PROBLEMS)
    .sort(([, a], [, b]) => a.status - b.status)
    .map(([code, { status, sentence }]) => `| ${status} | \`${code}\` | ${sentence} |`);
  return [
    '# Errors',
    '',
    'A refusal is JSON: `reason` is a sentence for a person, `error_code` a stable word for a program. A body that does',
    'not match its schema gets 422 and a list under `detail` that says where (`loc`) and why (`msg`); an unknown route',
    'gets 404 and `{"detail":"Not Found"}`. 429 and 503 carry `Retry-After`: nothing was stored, send it again.',
    '`npm run docs` writes this page from `libs/http/src/problems.ts`.',
    '',
    '| Status | `error_code` | Meaning |',
    '| --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
}
