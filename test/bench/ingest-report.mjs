// The targets of `npm run bench:ingest`, and its tables.
import { execFileSync } from 'node:child_process';
import { cpus, release, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';

const PARTS = ['ingest', 'worker', 'query', 'redis', 'clickhouse'];

/** What is measured against what is wanted. A run that was left out has no target. */
export function targets(measured, minutes) {
  const { full, half, halfRead, single, complete, closed, sync, long } = measured;
  const wanted = [at('CPU per call, all processes', full.cpuTotal, 320, 'µs')];
  if (sync)
    wanted.push(
      at('… against the synchronous insert (2.5× less)', full.cpuTotal / sync.cpuTotal, 0.4, ''),
    );
  if (complete) wanted.push(at('CPU per complete call', complete.cpuTotal, 280, 'µs'));
  if (half)
    wanted.push(at('CPU per call, half load / full load', half.cpuTotal / full.cpuTotal, 1.2, ''));
  if (halfRead) wanted.push(...halfLoad(halfRead));
  if (single)
    wanted.push(
      at('CPU per call, 1 per request', single.cpuTotal, 1500, 'µs'),
      atLeast('calls per second, 1 per request', single.callsPerSecond, 1000, '/s'),
    );
  for (const one of closed.filter(Boolean)) wanted.push(...closedLoop(one));
  wanted.push(...alone(measured), ...memory(long ?? full, long && minutes));
  return wanted;
}

function halfLoad(half) {
  return [
    at('ack p99 at half load', half.ackMs.p99, 25, 'ms'),
    at('visible p99 at half load, starts', half.visibleMs.start?.p99 ?? NaN, 300, 'ms'),
    at('visible p99 at half load, ends', half.visibleMs.end?.p99 ?? NaN, 300, 'ms'),
  ];
}

/** Clients that send the next request after each response. */
function closedLoop({ name, ackMs, throughMs }) {
  const readable = Math.max(throughMs.start?.p99 ?? NaN, throughMs.end?.p99 ?? NaN);
  return [
    at(`ack p99, ${name}`, ackMs.p99, 1000, 'ms'),
    at(`from request to readable p99, ${name}`, readable, 2000, 'ms'),
  ];
}

function alone({ lone, besideBurst }) {
  const wanted = [];
  if (lone)
    wanted.push(
      at(`a lone start readable, slowest of ${lone.times}`, lone.start.max, 100, 'ms'),
      at(`a lone end readable, slowest of ${lone.times}`, lone.end.max, 100, 'ms'),
    );
  if (besideBurst) {
    const slowest = Math.max(besideBurst.start.max, besideBurst.end.max);
    wanted.push(at(`a call during a burst, slowest of ${besideBurst.times}`, slowest, 1000, 'ms'));
  }
  return wanted;
}

/** Memory must not grow: the mean of the last tenth of the time is at most a quarter above that of the first. */
function memory({ rssMib }, minutes) {
  const during = minutes ? ` in ${minutes} min` : '';
  const all = PARTS.reduce((sum, name) => sum + (rssMib[name]?.peak ?? 0), 0);
  const wanted = [
    at(`ingest RSS, peak${during}`, rssMib.ingest.peak, 250, 'MiB'),
    at(`worker RSS, peak${during}`, rssMib.worker.peak, 400, 'MiB'),
    at(`RSS of all processes, peaks${during}`, all, 1024, 'MiB'),
  ];
  if (!minutes) return wanted;
  const growth = (name) =>
    at(`${name} RSS, last tenth / first tenth`, rssMib[name].last / rssMib[name].first, 1.25, '');
  return [...wanted, growth('ingest'), growth('worker'), growth('clickhouse')];
}

const at = (what, measured, limit, unit) => ({
  what,
  measured,
  limit: `≤ ${limit} ${unit}`,
  unit,
  met: measured <= limit,
});

const atLeast = (what, measured, limit, unit) => ({
  ...at(what, measured, limit, unit),
  limit: `≥ ${limit} ${unit}`,
  met: measured >= limit,
});

export function print(report) {
  const { date, machine: on, runs, lone, ratios, targets: goals } = report;
  console.log(
    `\nIngest, ${date.slice(0, 16)}Z, ${on.cores} × ${on.cpu}, ${on.memoryGib} GiB, Node ${on.node}, Linux ${on.kernel}, ${on.commit}`,
  );
  console.log(
    `${report.machineLoad}\n` +
      'A call is a start of 3.0 KB and an end of 1.7 KB in different requests; 16 connections; CPU in µs per call.\n' +
      'Calls per second until all are visible. Where calls are read, four starts and four ends a second are, as soon as they are acknowledged.\n',
  );
  printRuns(runs);
  printThreads(runs);
  if (lone)
    console.log(
      `\nOne lone call, readable after (ms): start ${tenth(lone.start.p50)} median, ${tenth(lone.start.max)} slowest; end ${tenth(lone.end.p50)} median, ${tenth(lone.end.max)} slowest of ${lone.times}`,
    );
  for (const [name, ratio] of Object.entries(ratios)) console.log(`${name}: ${ratio.toFixed(2)}×`);
  console.log('');
  table([
    ['target', 'limit', 'measured', ''],
    ...goals.map(({ what, measured, limit, unit, met }) => [
      what,
      limit,
      `${measured < 10 ? measured.toFixed(2) : tenth(measured)} ${unit}`,
      report.isQuiet ? (met ? 'met' : 'missed') : 'not judged',
    ]),
  ]);
  for (const one of runs.filter(({ wrong }) => wrong))
    console.log(`\nWRONG, ${one.name}: ${one.wrong}`);
}

const whole = (value) =>
  value === undefined || value === null ? '–' : Math.round(value).toLocaleString('en');
const tenth = (value) => (value === undefined || value === null ? '–' : value.toFixed(1));

function printRuns(runs) {
  const columns = {
    'calls/s': (one) => whole(one.callsPerSecond),
    CPU: (one) => whole(one.cpuTotal),
    ...Object.fromEntries(PARTS.map((part) => [part, (one) => whole(one.cpu[part])])),
    'merges after': (one) => whole(one.mergeCpu),
    'rows per call': (one) => tenth(one.rowsPerCall),
    'reads per call': (one) => tenth(one.readsPerCall),
    'facts per flush': (one) => whole(one.factsPerFlush),
    'ack p50': (one) => tenth(one.ackMs.p50),
    'ack p99': (one) => tenth(one.ackMs.p99),
    'visible p99': (one) => tenth(one.visibleMs.end?.p99),
    'request to visible p99 ms': (one) => tenth(one.throughMs.end?.p99),
    'RSS ingest': (one) => whole(one.rssMib.ingest?.peak),
    'worker MiB': (one) => whole(one.rssMib.worker?.peak),
  };
  table([
    ['', ...Object.keys(columns)],
    ...runs.map((one) => [one.name, ...Object.values(columns).map((print) => print(one))]),
  ]);
}

/** Threads that take less of a call are not printed; `--json` has them. */
const THREAD_MIN_MICROS = 2;

function printThreads(runs) {
  console.log('\nCPU in µs per call, by process and name of threads:');
  for (const { name, threadCpu } of runs) {
    const processes = Object.entries(threadCpu).flatMap(([part, threads]) => {
      const shown = Object.entries(threads)
        .filter(([, micros]) => micros >= THREAD_MIN_MICROS)
        .sort(([, a], [, b]) => b - a)
        .map(([thread, micros]) => `${thread} ${whole(micros)}`);
      return shown.length === 0 ? [] : [`${part}: ${shown.join(', ')}`];
    });
    console.log(`  ${name}\n    ${processes.join('\n    ')}`);
  }
}

function table(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  for (const row of rows) {
    const cells = row.map((cell, i) =>
      i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]),
    );
    console.log(cells.join('  ').trimEnd());
  }
}

export function machine() {
  const here = fileURLToPath(new URL('.', import.meta.url));
  const git = (...args) => execFileSync('git', ['-C', here, ...args], { encoding: 'utf8' }).trim();
  return {
    cpu: cpus()[0].model,
    cores: cpus().length,
    memoryGib: Math.round(totalmem() / 1024 ** 3),
    node: process.versions.node,
    kernel: release(),
    commit: git('describe', '--always', '--dirty'),
  };
}
