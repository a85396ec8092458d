import { cpus, loadavg } from 'node:os';
import { cpuMicros } from '../support/proc-cpu.mjs';

const ROUNDS = 5;

/** What was measured, with its limits. */
export class Figures {
  #rows = [];

  constructor(server) {
    this.server = server;
  }

  /**
   * Measures a step some times and adds the medians: the time that passed, and the CPU time that the step needed. The
   * limit is one of the time that passes on an idle machine. When other programs use the cores, an estimate of it is
   * compared instead: the CPU time of query and of the page's main thread, and a core's share of that of ClickHouse.
   */
  async step(name, limitMs, tab, act) {
    const taken = [];
    for (let round = 0; round < ROUNDS; round++) taken.push(await this.#round(tab, act));
    const [ms, cpuMs] = ['ms', 'cpuMs'].map((key) => median(taken.map((one) => one[key])));
    const isBusy = loadavg()[0] > cpus().length;
    this.#add({ name, ms, cpuMs, limit: limitMs, judged: isBusy ? 'CPU' : 'time' });
    return taken.at(-1).result;
  }

  /** Adds a number that must not be above its limit; without a limit it is for information. */
  add(name, value, limit = null) {
    this.#add({ name, value, limit, judged: limit === null ? '' : 'value' });
  }

  /** Prints the table and returns how many limits were not kept. */
  print() {
    console.table(this.#rows);
    return this.#rows.filter(({ kept }) => kept === 'no').length;
  }

  #add(row) {
    const judged = { CPU: row.cpuMs, time: row.ms, value: row.value }[row.judged];
    const isKept = judged === undefined || judged <= row.limit;
    this.#rows.push({ ...row, kept: judged === undefined ? '' : isKept ? 'yes' : 'no' });
    process.stderr.write(`${row.name}: ${row.value ?? `${row.ms} ms, CPU ${row.cpuMs} ms`}\n`);
  }

  async #round(tab, act) {
    await act.prepare?.();
    const [cpuBefore, taskBefore] = [this.#serverCpu(), await tab.taskMs()];
    const started = performance.now();
    const result = await act.run();
    const ms = Math.round(performance.now() - started);
    const cpuMs = this.#serverCpu() - cpuBefore + (await tab.taskMs()) - taskBefore;
    return { ms, cpuMs: Math.max(0, Math.round(cpuMs)), result };
  }

  #serverCpu() {
    const { query, clickhouse } = this.server;
    return (cpuMicros(query.pid) + cpuMicros(clickhouse.pid) / cpus().length) / 1000;
  }
}

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];
