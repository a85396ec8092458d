// CPU time and memory of processes from Linux's /proc: all threads of a process, also those that have ended.
import { readFileSync } from 'node:fs';

/** Linux's USER_HZ, which is 100 for programs whatever the kernel's own tick is. */
const TICKS_PER_SECOND = 100;
const PAGE_BYTES = 4096;
const MIB = 1024 ** 2;

/** User and system time in microseconds. */
export function cpuMicros(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  // The second field is the command name in parentheses, which may contain blanks and parentheses itself.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [utime, stime] = [fields[11], fields[12]].map(Number);
  return ((utime + stime) * 1e6) / TICKS_PER_SECOND;
}

export function rssMib(pid) {
  const pages = Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1]);
  return (pages * PAGE_BYTES) / MIB;
}

/** Measures CPU and memory of processes, given as `{ name: pid }`, from its construction until `stop`. */
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

  /** Ends the window and returns `{ cpuMicros, rssMib: { first, peak, last } }` per name. */
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

/** `first` and `last` are means over a tenth of the window, so that one sample does not decide the trend. */
function summary(samples) {
  const tenth = Math.max(1, Math.floor(samples.length / 10));
  return {
    first: mean(samples.slice(0, tenth)),
    peak: Math.max(...samples),
    last: mean(samples.slice(-tenth)),
  };
}

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** The smallest value that at least this share of the values does not exceed. */
export function percentile(values, share) {
  if (values.length === 0) return null;
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)];
}
