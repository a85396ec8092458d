import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { QueryData } from '../bench/query-data.mjs';
import { waitForMerges } from '../support/merges.mjs';

const STEPS = 50;
/** The longest time to wait for the merges that follow the last insert. */
const MERGED_WITHIN_MS = 120_000;

/** Lets ClickHouse generate the calls of `npm run bench:query`, 40 % of them stored first without their end. */
export async function loadCalls(server, count) {
  const mark = join(server.directory, `loaded-${count}`);
  if (existsSync(mark)) return;
  const data = new QueryData(server, count);
  const step = Math.ceil(count / STEPS);
  const started = performance.now();
  for (let from = 0; from < count; from += step) {
    const size = Math.min(step, count - from);
    await server.sql(data.insertCalls(from, size, 'number % 5 < 2', false));
    await server.sql(data.insertCalls(from, size, 'true', true));
    data.progress(from + size);
  }
  await waitForMerges(server, MERGED_WITHIN_MS);
  writeFileSync(mark, '');
  const seconds = Math.round((performance.now() - started) / 1000);
  console.log(`${count} calls were loaded in ${seconds} s.`);
}
