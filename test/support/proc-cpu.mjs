// CPU time and memory of processes from Linux's /proc: all threads of a process, also those that have ended.
import { readdirSync, readFileSync } from 'node:fs';

/** Linux's USER_HZ, which is 100 for programs whatever the kernel's own tick is. */
const TICKS_PER_SECOND = 100;
const PAGE_BYTES = 4096;
const MIB = 1024 ** 2;

/** User and system time in microseconds. */
export function cpuMicros(pid) {
  return statOf(`/proc/${pid}/stat`).micros;
}

/** Name and CPU time of each thread that the process has now, by thread id. The first thread of a process is called `main`. */
function threadsOf(pid) {
  return Object.fromEntries(
    readdirSync(`/proc/${pid}/task`).flatMap((tid) => {
      const thread = ifRunning(() => statOf(`/proc/${pid}/task/${tid}/stat`));
      if (thread === undefined) return [];
      return [[tid, tid === String(pid) ? { ...thread, name: 'main' } : thread]];
    }),
  );
}

function statOf(path) {
  const stat = readFileSync(path, 'latin1');
  // The second field is the name in parentheses, which may contain blanks and parentheses itself.
  const end = stat.lastIndexOf(')');
  const fields = stat.slice(end + 2).split(' ');
  const [utime, stime] = [fields[11], fields[12]].map(Number);
  const name = stat.slice(stat.indexOf('(') + 1, end);
  return { name, micros: ((utime + stime) * 1e6) / TICKS_PER_SECOND };
}

/** What `read` returns; undefined when its process or thread has just ended. */
export function ifRunning(read) {
  try {
    return read();
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ESRCH') return undefined;
    throw error;
  }
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
  #threads;
  #threadMicros;

  constructor(pids, everyMs = 250) {
    this.#pids = pids;
    this.#before = this.#all(cpuMicros);
    this.#threads = this.#all(threadsOf);
    this.#threadMicros = this.#all(() => ({}));
    this.#sample();
    this.#timer = setInterval(() => this.#sampleWhileAlive(), everyMs);
  }

  /** Ends the window and returns `{ cpuMicros, threadMicros, rssMib: { first, peak, last } }` per name. */
  stop() {
    clearInterval(this.#timer);
    this.#sample();
    const after = this.#all(cpuMicros);
    return Object.fromEntries(
      Object.keys(this.#pids).map((name) => [
        name,
        {
          cpuMicros: after[name] - this.#before[name],
          threadMicros: this.#threadMicros[name],
          rssMib: summary(this.#rss[name]),
        },
      ]),
    );
  }

  /** A process that has ended fails `stop`, not the timer: then the caller has perhaps the cause of it to report. */
  #sampleWhileAlive() {
    try {
      this.#sample();
    } catch (error) {
      if (error.code !== 'ENOENT') throw error;
      clearInterval(this.#timer);
    }
  }

  #sample() {
    for (const [name, threads] of Object.entries(this.#all(threadsOf))) {
      addDifferences(this.#threadMicros[name], this.#threads[name], threads);
      this.#threads[name] = threads;
    }
    for (const [name, mib] of Object.entries(this.#all(rssMib))) (this.#rss[name] ??= []).push(mib);
  }

  #all(measure) {
    return Object.fromEntries(
      Object.entries(this.#pids).map(([name, pid]) => [name, measure(pid)]),
    );
  }
}

/** Adds by names what each thread has used since. A thread may get another name, and a new one the id of one that has ended. */
function addDifferences(sums, before, after) {
  for (const [tid, { name, micros }] of Object.entries(after)) {
    const since = before[tid]?.micros ?? 0;
    sums[name] = (sums[name] ?? 0) + (micros < since ? micros : micros - since);
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
