import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '@app/config';
import { MAINTENANCE_JOBS } from './maintenance-jobs.js';

const UNITS_MS: Record<string, number> = { s: 1000, min: 60_000 };
const ROW = /^\| `([a-z-]+)` +\| (\d+) (s|min) +\|/gm;

describe('the table of maintenance jobs', () => {
  it('has the names and periods that the page for operators lists', () => {
    const page = readFileSync(join(packageRoot(), 'docs/operations/maintenance.md'), 'utf8');
    const documented = [...page.matchAll(ROW)].map(([, name, count, unit]) => ({
      name,
      everyMs: Number(count) * UNITS_MS[unit!]!,
    }));

    expect(MAINTENANCE_JOBS.map(({ name, everyMs }) => ({ name, everyMs }))).toEqual(documented);
  });
});
