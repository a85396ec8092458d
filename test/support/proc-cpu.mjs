// What processes cost, as Linux counts it in /proc: all threads of a process, also those that have ended.
import { readFileSync } from 'node:fs';

/** USER_HZ: fixed at 100 in the interface of Linux, whatever the kernel's own tick. */
const TICKS_PER_SECOND = 100;
const PAGE_BYTES = 4096;
const MIB = 1024 ** 2;

/** User and system time in microseconds. */
export function cpuMicros(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  // The second field is the name in parentheses and may hold anything; what follows it does not.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [utime, stime] = [fields[11], fields[12]].map(Number);
  return ((utime + stime) * 1e6) / TICKS_PER_SECOND;
}

export function rssMib(pid) {
  const pages = Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1]);
  return (pages * PAGE_BYTES) / MIB;
}

/** Measures named processes over a window: `{ name: pid }` in, CPU and memory per name out. */
export class Meter {
  #pids;
  #before;
  #timer;
  #rss = {};

  constructor(pids, everyMs = 250) {
    this.#pids = pids;
    this.#before = this.#all(cpuMicros);
    this.#sample();
    this.#timer = setInterval(() => this.#sample(), everyMs);
  }

  /** `{ cpuMicros, rssMib: { first, peak, last, samples } }` per name; the window ends here. */
  stop() {
    clearInterval(this.#timer);
    this.#sample();
    const after = this.#all(cpuMicros);
    return Object.fromEntries(
      Object.keys(this.#pids).map((name) => [
        name,
        { cpuMicros: after[name] - this.#before[name], rssMib: summary(this.#rss[name]) },
      ]),
    );
  }

  #sample() {
    for (const [name, mib] of Object.entries(this.#all(rssMib))) (this.#rss[name] ??= []).push(mib);
  }

  #all(measure) {
    return Object.fromEntries(
      Object.entries(this.#pids).map(([name, pid]) => [name, measure(pid)]),
    );
  }
}

/** First and last are means of a tenth of the window: a trend, not the luck of one sample. */
function summary(samples) {
  const tenth = Math.max(1, Math.floor(samples.length / 10));
  return {
    first: mean(samples.slice(0, tenth)),
    peak: Math.max(...samples),
    last: mean(samples.slice(-tenth)),
  };
}

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** The value that a share of all others does not exceed. */
export function percentile(values, share) {
  if (values.length === 0) return null;
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)];
}
