import { setTimeout as sleep } from 'node:timers/promises';

const MAX_OUTPUT = 64 * 1024;
const ATTEMPTS = 30;
const running = new Set();
process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')));

/**
 * Runs operators' commands beside the load, several at a time, and pauses or kills some of them. A command may refuse its
 * work with a sentence, and must do it whole otherwise.
 */
export class Operators {
  /** One entry per run: `{ command, outcome, disturbance, seconds, text }`. */
  history = [];
  #isStopping = false;
  #loops = [];

  /** `choose` returns the arguments of the next command and how it may be disturbed: `{ args, pauseMs, mayKill }`. */
  constructor({ server, random, log, choose, onDone, withinMs }) {
    Object.assign(this, { server, random, log, choose, onDone, withinMs });
  }

  begin({ atOnce, restMs }) {
    this.#loops = Array.from({ length: atOnce }, () => this.#loop(restMs));
  }

  /** Resolves when the commands in progress have ended. */
  async stop() {
    this.#isStopping = true;
    await Promise.all(this.#loops);
  }

  /** Repeats a command until it has done its work, as the operator does. */
  async finish(args) {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      if ((await this.run({ args })).outcome === 'done') return;
      await sleep(2000);
    }
  }

  async run({ args, pauseMs = 0, mayKill = false }) {
    const begun = performance.now();
    const child = this.server.startCli(...args);
    running.add(child);
    const output = collected(child);
    const tooLong = setTimeout(() => child.kill('SIGKILL'), this.withinMs);
    const disturbing = this.#disturb(child, pauseMs, mayKill);
    const code = await new Promise((resolve) => child.once('close', resolve));
    clearTimeout(tooLong);
    running.delete(child);
    const disturbance = await disturbing;
    const outcome = outcomeOf(code, disturbance, output());
    const seconds = (performance.now() - begun) / 1000;
    const entry = { command: nameOf(args), outcome, disturbance, seconds, text: output() };
    this.history.push(entry);
    const text = outcome === 'done' ? '' : `: ${entry.text.slice(-200).trim()}`;
    this.log(`cli ${args.join(' ')} ${[disturbance, outcome].join(' ').trim()}${text}`);
    if (outcome === 'done') await this.onDone(args);
    return entry;
  }

  async #loop(restMs) {
    while (!this.#isStopping) {
      await this.run(this.choose());
      await sleep(this.random() * 2 * restMs);
    }
  }

  /** Pauses or kills half of the commands at a random time. Resolves with what was done. */
  async #disturb(child, pauseMs, mayKill) {
    const [kind, delay] = [this.random(), 400 + this.random() * 4000];
    const isOver = () => child.exitCode !== null || child.signalCode !== null;
    if (pauseMs === 0 || kind > 0.6) return '';
    await sleep(delay);
    if (isOver()) return '';
    if (mayKill && kind < 0.2) return child.kill('SIGKILL') ? 'killed' : '';
    child.kill('SIGSTOP');
    await sleep(pauseMs);
    child.kill('SIGCONT');
    return 'paused';
  }
}

/** The command and its options without their values. */
const nameOf = (args) =>
  args.filter((arg, i) => i === 0 || /^(--(?!yes)|replay$)/.test(arg)).join(' ');

/**
 * A refusal is one sentence for the operator, without a stack. The ledger may be unequal while facts come in. Dead letters that
 * are invalid are rejected again when they are replayed, with exit code 1.
 */
function outcomeOf(code, disturbance, text) {
  if (code === 0 || /^\d+ were rejected again/m.test(text)) return 'done';
  if (disturbance === 'killed') return 'killed';
  const isSentence = /^heddle: /m.test(text) && !/\n\s+at /.test(text);
  const isPartial = /stay open\.$/m.test(text) || /"holds":\[/.test(text);
  return code === 1 && (isSentence || isPartial) ? 'refused' : 'failed';
}

/** The last part of everything the command prints. */
function collected(child) {
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (data) => (text = (text + data).slice(-MAX_OUTPUT)));
  }
  return () => text;
}
