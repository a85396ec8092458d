import { readFileSync } from 'node:fs';

/** With a larger part, what was measured is that of the host's other guests. */
export const STOLEN_MAX = 0.05;

/** The part of the processors' time that the host of a virtual machine gave to others since construction. It reads /proc of Linux. */
export class StolenTime {
  #from = read();

  share() {
    const now = read();
    const total = now.total - this.#from.total;
    return total > 0 ? (now.stolen - this.#from.stolen) / total : 0;
  }
}

function read() {
  // user, nice, system, idle, iowait, irq, softirq, steal; what follows is part of user and nice.
  const [line] = readFileSync('/proc/stat', 'latin1').split('\n');
  const ticks = line.split(/\s+/).slice(1, 9).map(Number);
  return { stolen: ticks[7], total: ticks.reduce((sum, one) => sum + one, 0) };
}
