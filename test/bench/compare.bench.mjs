#!/usr/bin/env node
// `npm run bench:compare -- <checkout>` runs the ingest bench of this checkout and of another one (an older commit in its
// own directory, set up with `npm run setup`) in turn on the same machine, and prints what moved. The best of the rounds
// counts for each side, because other work on the machine can only make a run slower.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { MachineLoad } from '../support/machine-load.mjs';

const here = fileURLToPath(new URL('../..', import.meta.url));
/** One bench takes four to eight minutes. After this time it hangs. */
const BENCH_WITHIN_MS = 20 * 60_000;

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '20' },
    rounds: { type: 'string', default: '3' },
  },
});
const [other] = positionals;
if (!other) {
  console.error(
    'npm run bench:compare -- <directory of another checkout> [--rounds n] [--seconds n]',
  );
  process.exit(2);
}

const sides = { other: resolve(other), this: here };
const onMachine = new MachineLoad();
const reports = { other: [], this: [] };
for (let round = 1; round <= Number(flags.rounds); round++) {
  for (const [side, directory] of Object.entries(sides)) {
    console.error(`Round ${round}, ${side} checkout`);
    reports[side].push(await bench(directory));
  }
}
print();

async function bench(directory) {
  const results = mkdtempSync(join(tmpdir(), 'heddle-compare-'));
  const file = join(results, 'bench.json');
  try {
    await promisify(execFile)(
      process.execPath,
      ['test/bench/ingest.bench.mjs', '--seconds', flags.seconds, '--json', file],
      { cwd: directory, timeout: BENCH_WITHIN_MS, maxBuffer: 64 * 1024 ** 2 },
    );
    return JSON.parse(readFileSync(file, 'utf8'));
  } finally {
    rmSync(results, { recursive: true, force: true });
  }
}

function print() {
  const commit = (side) => reports[side][0].machine.commit;
  console.log(
    `\nIngest, best of ${flags.rounds}: ${commit('other')} (other) and ${commit('this')} (this)`,
  );
  console.log(`${onMachine.report()}\n`);
  const rows = [
    [
      '',
      'calls/s other',
      'this',
      'this/other',
      'CPU µs other',
      'this',
      'this/other',
      'ClickHouse µs other',
      'this',
    ],
  ];
  const names = reports.this[0].runs.map(({ name }) => name);
  for (const name of names) {
    const [before, after] = [best('other', name), best('this', name)];
    if (!before || !after) continue;
    rows.push([
      name,
      whole(before.callsPerSecond),
      whole(after.callsPerSecond),
      ratio(after.callsPerSecond, before.callsPerSecond),
      whole(before.cpuTotal),
      whole(after.cpuTotal),
      ratio(after.cpuTotal, before.cpuTotal),
      whole(before.cpu.clickhouse),
      whole(after.cpu.clickhouse),
    ]);
  }
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  for (const row of rows)
    console.log(
      row.map((cell, i) => (i ? cell.padStart(widths[i]) : cell.padEnd(widths[i]))).join('  '),
    );
}

/** The run of this name that took the least CPU a call. */
function best(side, name) {
  return reports[side]
    .flatMap(({ runs }) => runs.filter((run) => run.name === name && run.wrong === undefined))
    .sort((a, b) => a.cpuTotal - b.cpuTotal)[0];
}

function whole(value) {
  return value === undefined ? '–' : Math.round(value).toLocaleString('en');
}

function ratio(value, to) {
  return `${(value / to).toFixed(2)}×`;
}
