import { loadavg } from 'node:os';
import { STOLEN_MAX, StolenTime } from './stolen-time.mjs';

/** Above this, something else runs on the machine. */
const QUIET_LOAD = 0.5;

/** What else used the machine since construction. A bench compares its figures with targets only when nothing did. */
export class MachineLoad {
  before = loadavg()[0];
  #time = new StolenTime();

  /** The part of the processors' time that the host gave to others. */
  get stolen() {
    return this.#time.share();
  }

  get wasQuiet() {
    return this.before <= QUIET_LOAD && this.stolen <= STOLEN_MAX;
  }

  /** For the end of a report. */
  report() {
    const after = loadavg()[0];
    const stolen = `the host gave ${Math.round(this.stolen * 100)} % of the processors to others`;
    const figures = `Load average before and after: ${this.before.toFixed(2)}, ${after.toFixed(2)}; ${stolen}.`;
    return this.wasQuiet
      ? figures
      : `${figures}\nOther programs were running: these figures say nothing about the targets.`;
  }
}
